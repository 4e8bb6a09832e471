import Sleepless
import SleeplessSimulation
import Testing

/// A problem at the end of a simulation, as text.
struct SimulationProblem {
  enum Severity { case failure, warning }

  var severity = Severity.failure
  /// Whether it may follow from an earlier failure that ended the test too soon.
  var isLeftover = false
  /// Whether tasks may have run outside the simulation, because the process is not captured.
  var mayMissTasks = false
  var text: String

  /// The text to report. Call it for a problem that is reported: the first call in the process explains why
  /// the process is not captured.
  func message() -> String {
    guard mayMissTasks else { return text }
    return """
      \(text)
      This process's tasks cannot be captured, so tasks may have run outside the simulation.
      \(MissingCapture.explain())
      """
  }

  static let nested = """
    simulate was called inside a simulation. The body now runs as part of the outer one: same \
    time, same order.
    Remove the inner call: the test is simulated already, by a trait, by SimulatedTestCase, or by a \
    call of simulate or explore further out.
    """

  static func notCaptured(_ testCase: String, insteadWrapIn function: String) -> String {
    """
    The tests of \(testCase.hasPrefix("E") ? "an" : "a") \(testCase) cannot be simulated here: this process's \
    tasks cannot be captured. The test was not run.
    \(MissingCapture.explain())
    Make it a test of an XCTestCase, and wrap its code in \(function) { ... }.
    """
  }

  /// The failure of a test whose trait needs a newer system.
  static func unavailable(_ trait: String) -> String {
    """
    The trait \(trait) needs macOS 15, iOS 18, tvOS 18 or watchOS 11. This system is older, and the test \
    was not run.
    Mark the test function @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *): older systems then skip it.
    """
  }

  /// All problems; the first is the cause of the others. `hasFailed` says whether the test has failed by
  /// something else: then work begun outside is listed, and so are resumptions from outside, even if the settings
  /// ignore them. The failure may follow from either.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  static func all(
    in report: Simulation.Report, _ settings: SimulationSettings, hasFailed: Bool = false
  ) -> [SimulationProblem] {
    let problems = problems(in: report, settings, hasFailed: hasFailed)
    guard !problems.isEmpty, !CaptureKind.best.isWholeProcess else { return problems }
    return problems.map { problem in
      var problem = problem
      problem.mayMissTasks = true
      return problem
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private static func problems(
    in report: Simulation.Report, _ settings: SimulationSettings, hasFailed: Bool
  ) -> [SimulationProblem] {
    if let text = ending(of: report, settings.options) {
      let ending = SimulationProblem(text: text)
      // A deadlock's text already mentions the work begun outside and the external resumptions.
      if case .deadlock = report.ending { return [ending] }
      // The ending is the failure. What came from outside may be its cause: a warning, whatever the settings say.
      return [ending]
        + outsideProblems(in: report, settings, hasFailed: true).map { problem in
          var problem = problem
          problem.severity = .warning
          return problem
        }
    }
    var all = report.leftoverProblems(allowing: settings.allowing)
      .map { SimulationProblem(isLeftover: true, text: $0) }
    if let text = report.cancellationProblem { all.append(SimulationProblem(text: text)) }
    return all + outsideProblems(in: report, settings, hasFailed: hasFailed)
  }

  /// Resumptions from outside, and what was begun outside.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private static func outsideProblems(
    in report: Simulation.Report, _ settings: SimulationSettings, hasFailed: Bool
  ) -> [SimulationProblem] {
    var all: [SimulationProblem] = []
    if report.externalResumptionCount > 0, settings.externalResumptions != .ignored || hasFailed {
      let severity = settings.externalResumptions == .failed ? Severity.failure : .warning
      all.append(SimulationProblem(severity: severity, text: report.externalResumptionProblem))
    }
    if hasFailed, let text = report.begunOutsideProblem {
      all.append(SimulationProblem(severity: .warning, text: text))
    }
    return all
  }

  /// Why the simulation did not end normally; nil if it did.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  static func ending(
    of report: Simulation.Report, _ options: Simulation.Options
  ) -> String? {
    report.endingProblem(options)
  }

  /// Why XCTest cannot go on: a job of its test keeps the main thread.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  static func mainThreadBlocked(
    _ report: Simulation.Report, _ options: Simulation.Options
  ) -> String {
    report.mainThreadBlocked(options)
  }

  /// Records it as an issue; leftovers of a test that has failed are warnings.
  func record(at place: SourceLocation, hasFailed: Bool) {
    if isLeftover, hasFailed {
      recordIssue(message() + "\n" + Reporter.remark, severity: .warning, at: place)
    } else {
      recordIssue(message(), severity: severity == .warning ? .warning : .error, at: place)
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Report {
  fileprivate func endingProblem(_ options: Simulation.Options) -> String? {
    let now = elapsed.shortDescription
    switch ending {
    case .finished: return nil
    case .nested: return SimulationProblem.nested
    case .deadlock: return deadlock(options)
    case .tooManySteps(let busiest):
      return """
        The simulation did not come to an end: \(options.stepLimit) steps were taken, and \
        virtual time is \(now). These tasks took the most:
        \(lines(busiest.map { $0.listingWithSteps }))
        This is usually a loop that sleeps or yields, or a repeating timer, and nothing cancels it. \
        Cancel it when the test has seen enough, start it in Simulation.background { ... } if it is \
        meant to live on, or raise stepLimit.\(replay(options))
        """
    case .tooLate:
      return """
        The simulation did not come to an end: virtual time is \(now), and the next deadline lies \
        beyond timeLimit: \(options.timeLimit!.shortDescription).
        \(listing)
        This is usually a loop that sleeps, or a repeating timer, and nothing cancels it. \
        Cancel it, start it in Simulation.background { ... }, or raise timeLimit. A sleep until a distant \
        date has the same effect.\(replay(options))
        """
    case .givenUp(let reason):
      return """
        The simulation was given up at \(now), because \(reason).
        \(listing)
        This is usually a loop that goes on after each failure. Begin with the first failure of that helper.\
        \(replay(options))
        """
    case .tooManyBlockedThreads(let count):
      return """
        The simulation was given up at \(now), because \(count) of its threads are blocked at the same time.
        \(listingOfSome)
        Each call that sleeps or waits keeps a thread of the system, also without a simulation. \
        Await instead of blocking, or use fewer queues.\(replay(options))
        """
    case .threadBlocked:
      return """
        A job of the simulation has kept its thread for \(options.timeout.shortDescription) \
        of real time (virtual time: \(now)):
        \(listing)
        This is usually a lock or another synchronous call that waits for something that \
        only another job can do, or an endless loop. The simulation was given up; the thread is still \
        held. Await instead of blocking. If the call waits for code outside the simulation, run it in \
        Simulation.outside { ... }.\(replay(options))
        """
    case .mainActorBlocked:
      return """
        The main actor took no job for \(options.timeout.shortDescription) of real time \
        (virtual time: \(now)):
        \(listing)
        This is usually a synchronous test that blocks the main thread while it waits for the \
        simulation. Make the test async and await simulate there. A job of an earlier test that is \
        deadlocked on the main actor keeps it for good: if an earlier test failed with such a deadlock, \
        correct that test first.\(replay(options))
        """
    }
  }

  fileprivate func mainThreadBlocked(_ options: Simulation.Options) -> String {
    switch ending {
    case .finished:
      return """
        The test has ended (at \(elapsed.shortDescription)), but a task blocks the main thread:
        \(listing)
        XCTest runs no other test until it goes on.
        """
    case .threadBlocked where waitOfTest != nil:
      return """
        The test has waited on the main thread for \(options.timeout.shortDescription) of real time \
        (virtual time: \(elapsed.shortDescription)), and the simulation cannot go on meanwhile:
        \(listing)
        Such a wait takes real time here: with \(RuntimeVerdict.toolchain) this does not hold: \
        \(RuntimeVerdict.factsOfRealWaits ?? "").
        The process ends, because XCTest could run no other test. Call settle() before the wait, or make the \
        test async and await. If code outside the simulation ends the wait, raise SLEEPLESS_GUARD_SECONDS.
        """
    case .mainActorBlocked, .threadBlocked:
      return """
        A job of the test has kept its thread for \(options.timeout.shortDescription) of real time \
        (virtual time: \(elapsed.shortDescription)):
        \(listing)
        XCTest runs no other test until the job returns.
        This is usually a lock or a synchronous call that waits for something that only another job can \
        do, or an endless loop. Await instead of blocking, and end a loop when Task.isCancelled is true.
        """
    default:
      let problem = endingProblem(options).map { $0 + "\n" } ?? ""
      return problem
        + "One of these tasks blocks the main thread. XCTest runs no other test until it goes on."
    }
  }

  private static var unresumed: String {
    "a continuation that is never resumed, a stream that is never finished"
  }

  private static var unsignalled: String {
    "a semaphore or a condition that is never signalled, a group that is never left, "
      + "a continuation that is never resumed"
  }

  private static var unleft: String {
    "a group that is never left, a continuation that is never resumed"
  }

  private static var suspended: String {
    "a queue that is never resumed, a continuation that is never resumed"
  }

  private static var unstopped: String {
    "a run loop that is never stopped, a continuation that is never resumed"
  }

  private static var queueOfItsOwn: String {
    "a sync with the queue that the code runs on, a continuation that is never resumed"
  }

  private static var itemOfItsOwnQueue: String {
    "a wait for a work item of the queue that the code runs on, a continuation that is never resumed"
  }

  /// What the test and the tasks that block their threads wait for.
  private var blockingReasons: [String] {
    let reasons = waitingTasks.compactMap { task in
      if task.blocksThread, case .waiting(let reason) = task.state { reason } else { nil }
    }
    return reasons + [waitOfTest?.reason].compactMap { $0 }
  }

  private func isAnyBlock(waitingFor reason: WaitingBlocks.Reason) -> Bool {
    waitingBlocks.contains { $0.reason == reason }
  }

  private func deadlock(_ options: Simulation.Options) -> String {
    let now = elapsed.shortDescription
    let isAnyAsleep = waitingTasks.contains { if case .sleeping = $0.state { true } else { false } }
    // `FrameworkWait` names them so.
    let isAnyWaitOfFramework = waitingTasks.contains {
      if case .waiting("expectations") = $0.state { true } else { false }
    }
    let blocksThread = waitOfTest != nil || waitingTasks.contains(where: \.blocksThread)
    let reasons = blockingReasons
    // `RunLoopRun`, `QueueWork` and `SimulationExecutor` name them so.
    let isRunLoopRun = reasons.contains { $0.hasSuffix("run loop") }
    let waitsForQueues =
      !reasons.isEmpty && reasons.allSatisfy { $0.contains(/^(the|a|an operation) queue/) }
    let waitsForItems = !reasons.isEmpty && reasons.allSatisfy { $0.hasPrefix("a work item") }
    let usualReason =
      switch true {
      case isAnyBlock(waitingFor: .suspendedQueue): Self.suspended
      case isRunLoopRun: Self.unstopped
      case waitsForQueues: Self.queueOfItsOwn
      case waitsForItems: Self.itemOfItsOwnQueue
      case blocksThread: Self.unsignalled
      case isAnyBlock(waitingFor: .group): Self.unleft
      default: Self.unresumed
      }
    let isManual = options.time == .manual
    let opening =
      externalResumptionCount == 0
      ? "The simulation is deadlocked at \(now): nothing can run"
      : "The simulation is possibly deadlocked at \(now): nothing can run, nothing came "
        + "from outside for \(options.timeout.shortDescription) of real time"
    let advice =
      switch true {
      case isManual && isAnyAsleep:
        "Time is manual: the tasks that sleep go on when the test calls Simulation.advance(by:)."
      case isManual && isAnyWaitOfFramework:
        "Time is manual: a wait for expectations reaches its timeout when a task calls Simulation.advance(by:)."
      default: "This is usually \(usualReason), or tasks that wait for each other."
      }
    let timeout = options.timeout(isExpected: false)
    let wayOut =
      blocksThread && !waitsForQueues && !waitsForItems
      ? "If one of them is to \(isRunLoopRun ? "stop the run loop" : "signal"), run the whole waiting call in "
        + "Simulation.outside { ... }."
      : "Inject a \(followsQueues ? "double" : "scheduler") there, or run the call in Simulation.outside { ... }."
    let real = followsQueues ? "Threads" : "Queues, threads, timers"
    let outside = """

      \(real) and the network are not simulated; the simulation waits \(timeout.shortDescription) for them. \
      \(wayOut)
      """
    let remark =
      (externalResumptionCount > 0 ? externalResumptionRemark : isManual ? "" : outside)
      + (begunOutside.isEmpty ? "" : "\nBegun outside:\n\(lines(begunOutside.listings))")
    return """
      \(opening), \(isManual ? "nothing advances time" : "nothing is due"), and the body has not ended.
      \(listing)
      \(advice)\(remark)\(replay(options))
      """
  }

  private var externalResumptionRemark: String {
    let times = externalResumptionCount == 1 ? "Once" : "\(externalResumptionCount) times"
    return """

      \(times) a task was resumed from outside the simulation, so something outside may still \
      answer. With externalResumptions: .failed the test says which tasks these were.
      """
  }

  private func replay(_ options: Simulation.Options) -> String {
    guard case .shuffled(let seed) = options.order else { return "" }
    return "\nTo repeat this order: order: .shuffled(seed: \(seed))."
  }

  private var waitingTasks: [Simulation.TaskReport] { (body.map { [$0] } ?? []) + unfinishedTasks }

  /// The unfinished tasks, one per line, after the test's own code and the body; then the blocks that have not begun.
  private var listing: String {
    lines(listingOfTest + waitingTasks.map { $0.listing } + waitingBlocks.map(\.listing))
  }

  private var listingOfTest: [String] {
    guard let wait = waitOfTest else { return [] }
    return ["the test: waiting for \(wait.reason) since \(wait.since.shortDescription)"]
  }

  /// The test's own code, the first ten of the tasks that wait, and how many more there are.
  private var listingOfSome: String {
    let more = waitingTasks.count - 10
    return lines(
      listingOfTest + waitingTasks.prefix(10).map { $0.listing }
        + (more > 0 ? ["and \(more) more tasks"] : []))
  }

  /// The texts, one per line. There is none where the tasks of the process are not captured.
  private func lines(_ texts: [String]) -> String {
    (texts.isEmpty ? ["(no task is known)"] : texts).map { "  \($0)" }.joined(separator: "\n")
  }

  fileprivate func leftoverProblems(allowing: Leftovers) -> [String] {
    var problems: [String] = []
    let asleep = unfinishedTasks.filter { if case .sleeping = $0.state { true } else { false } }
    let suspended = unfinishedTasks.filter { if case .sleeping = $0.state { false } else { true } }
    let now = elapsed.shortDescription
    if !suspended.isEmpty, !allowing.contains(.suspendedTasks) {
      let signal =
        suspended.contains(where: \.blocksThread)
        ? " Signal the semaphore or leave the group for which a task waits." : ""
      problems.append(
        """
        The body has ended (at \(now)), but \(suspended.count.tasks) \(suspended.count == 1 ? "has" : "have") not:
        \(lines(suspended.map { $0.listing }))
        The rest of their work is not tested. Await them, cancel them, start them in \
        Simulation.background { ... } if they are meant to live on, or allow it with allowing: .suspendedTasks.\
        \(signal)
        """)
    }
    if !asleep.isEmpty, !allowing.contains(.sleepingTasks) {
      problems.append(
        """
        The body has ended (at \(now)), but \(asleep.count.tasks) still \(asleep.count == 1 ? "sleeps" : "sleep"):
        \(lines(asleep.map { $0.listing }))
        The rest of their work is not tested. Run it with settle() or a sleep of the test's own, cancel them, start them in Simulation.background { ... } if they are meant to \
        live on, or allow it with allowing: .sleepingTasks.
        """)
    }
    if !pendingWork.isEmpty, !allowing.contains(.pendingWork) {
      problems.append(
        """
        The body has ended (at \(now)) with work pending that will now never run:
        \(WorkList(pendingWork))
        Let it run with settle() or Simulation.advance(by:), cancel it, or allow it with \
        allowing: .pendingWork.
        """)
    }
    return problems
  }

  fileprivate var cancellationProblem: String? {
    guard !tasksIgnoringCancellation.isEmpty else { return nil }
    let count = tasksIgnoringCancellation.count
    let blocked = tasksIgnoringCancellation.count(where: \.blocksThread)
    let advice = [
      blocked < count
        ? "This is usually a continuation: resume it in a cancellation handler." : nil,
      blocked > 0
        ? "Cancelling does not end a wait for a semaphore or a group: signal or leave it." : nil,
    ].compactMap { $0 }.joined(separator: " ")
    return """
      \(count.tasks) did not end when cancelled at the end of the simulation:
      \(lines(tasksIgnoringCancellation.map { $0.listing }))
      They and what they hold are never released. \(advice)
      """
  }

  fileprivate var externalResumptionProblem: String {
    let tasks =
      externalResumptions.isEmpty ? "." : ":\n\(lines(externalResumptions.map { $0.listing }))"
    let times = externalResumptionCount == 1 ? "Once" : "\(externalResumptionCount) times"
    let (usualReason, doubles) =
      followsQueues
      ? ("a network call or a thread of the code's own", "a double")
      : (
        "a dispatch queue, a network call, a timer or a thread of the code's own",
        "a scheduler or a double"
      )
    return """
      \(times) a task was resumed from outside the simulation\(tasks)
      The simulation does not control when that happens, so another run may differ\(passedTime). This is \
      usually \(usualReason). Inject \(doubles) there, or run the call in Simulation.outside { ... }, \
      which stops virtual time until it returns.
      """
  }

  /// Says so if virtual time moved on while a task waited for something outside.
  private var passedTime: String {
    let moved = externalResumptions.contains { $0.time > $0.task.since }
    return moved ? ", and virtual time did not wait for it" : ""
  }
}

extension Int {
  fileprivate var tasks: String { self == 1 ? "1 task" : "\(self) tasks" }
}
