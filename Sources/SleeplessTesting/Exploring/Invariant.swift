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
  /// before its waker goes on (`ExplorationStrategy.wokenFirst`) counts as part of the waker's step.
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
        It was true after every step before. The cause is the code that this task ran in that step.
        """)
    }
  }
}

extension StepNote {
  /// The task that took the step, and its functions.
  fileprivate var performer: String {
    let who =
      switch (task, report?.name) {
      case (0?, _): "the body"
      case (let task?, let name?): "task \(task) \"\(name)\""
      case (let task?, nil): "task \(task)"
      case (nil, _): "an actor, or work that was due"
      }
    let functions = report?.functions ?? []
    let actor = report == nil && task != nil ? "an actor, serving " : ""
    return actor + who + (functions.isEmpty ? "" : ", in \(functions.joined(separator: " ← "))")
  }
}
