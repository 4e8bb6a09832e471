import Sleepless
import SleeplessSimulation

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Checks from now on that a condition holds after every step of the simulation.
  ///
  /// The first step after which it does not hold fails the test at this line. The failure names the
  /// task and the function of that step. After that the condition is not evaluated again.
  ///
  /// The condition runs between two steps, when no code of the simulation runs, so it must not wait:
  /// it may read a lock's content or a property that is not isolated. The step of a task that runs
  /// within the step of another one (`ExplorationStrategy.wokenFirst`) is part of that step: in the
  /// middle of that one's code the condition may rightly not hold. The failure names both tasks.
  ///
  /// ```swift
  /// @Test(.explored) func moneyIsNeverOwed() async {
  ///   let ledger = Ledger(balance: 100)
  ///   Simulation.invariant("nothing is owed") { ledger.balance >= 0 }
  ///   async let rent: Void = ledger.pay(60)
  ///   async let food: Void = ledger.pay(60)
  ///   _ = await (rent, food)
  /// }
  /// ```
  public static func invariant(
    _ name: String,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ condition: @escaping @Sendable () -> Bool
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let simulation = require("Simulation.invariant", at: site) else { return }
    let reporter = Reporter(at: site)
    guard condition() else {
      return reporter.fail(
        """
        The invariant "\(name)" does not hold at the start.
        It must hold from this call on. Call Simulation.invariant when everything is set up.
        """)
    }
    let hasBroken = Locked(false)
    simulation.watchSteps { _, step in
      guard !hasBroken.withLock({ $0 }), !condition() else { return }
      hasBroken.withLock { $0 = true }
      reporter.fail(
        """
        The invariant "\(name)" held until step \(step.step), at \(step.instant.shortDescription), \
        which broke it: \(step.performer)
        \(step.textOfTasksWithinStep)\
        It was true after every step before. The cause is the code that \
        \(step.tasksWithinStep.isEmpty ? "this task" : "one of these tasks") ran in that step.
        """)
    }
  }
}

extension StepNote {
  /// The tasks that ran within the step, one in a line.
  fileprivate var textOfTasksWithinStep: String {
    tasksWithinStep.map { "Within that step, before this task went on, ran \(Self.text(of: $0))\n" }
      .joined()
  }

  /// The task that took the step, and its functions.
  fileprivate var performer: String {
    switch (task, report) {
    case (_, let report?): Self.text(of: report)
    case (0?, nil): "an actor, serving the body"
    case (let task?, nil): "an actor, serving task \(task)"
    case (nil, nil): "an actor, or work that was due"
    }
  }

  /// A task, and its functions.
  private static func text(of report: Simulation.TaskReport) -> String {
    let task =
      switch (report.number, report.name) {
      case (0, _): "the body"
      case (let task, let name?): "task \(task) \"\(name)\""
      case (let task, nil): "task \(task)"
      }
    let frames = report.codeFrames
    return task + (frames.isEmpty ? "" : ", in \(frames.path)")
  }
}
