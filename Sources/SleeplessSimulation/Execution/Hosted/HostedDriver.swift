import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless
import VirtualTime

/// Drives simulations from the main thread, while a test waits for them there; see `HostedTurns`. It drives one at a
/// time. When a simulation cannot go on, the driver ends it and begins another one.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class HostedDriver: Sendable {
  private struct State {
    /// The simulation that the main thread belongs to; nil before the first and after the last.
    var executor: SimulationExecutor?
    /// The tasks that the test framework waits for. Each value is the address of the object that the
    /// framework waits on, or 0 if it is unknown. The task retains the object until the task ends.
    var awaitedTasks: [TaskPointer: UInt] = [:]
    /// How many of these tasks have ended.
    var endedAwaitedTasks = 0
    /// Whether this code runs the run loop, so that what the run loop runs must not drive.
    var isWaiting = false
    /// Whether the main queue or the run loop holds a request to drive.
    var isPosted = false
    var deadlockTimer: HangTimer?
    /// The conditions for which code of the test waits in real time: nothing in the simulation would signal them.
    var givenUpConditions: Set<UInt> = []
    /// Whether the test has failed because the simulation cannot go on.
    var isEndTold = false
  }

  /// How many steps the driver takes in one turn of the run loop.
  private static let stepsPerTurn = 1000

  let options: Simulation.Options
  private let capture: any Capture
  private let framework: HostedSimulation.Framework
  /// The main thread's stack before the test began.
  private let stackBeforeTest = SourceLines.stack
  private let state = Locked(State())
  let turns = HostedTurns()
  private let watch = Watchdog.Watch()

  init(
    _ options: Simulation.Options, capture: any Capture, framework: HostedSimulation.Framework
  ) {
    self.options = options
    self.capture = capture
    self.framework = framework
  }

  // MARK: Events in the simulation

  func taskWasMade(
    _ task: TaskPointer, code: UnsafeRawPointer?, context: UnsafeRawPointer?
  ) {
    guard Thread.isMainThread, let code, isPartOfXCTest(code) else { return }
    let awaited = sleepless_captured(
      context, UnsafeRawPointer(bitPattern: UInt(bitPattern: framework.awaitedClass)),
      framework.readMemory)
    state.withLock { $0.awaitedTasks[task] = UInt(bitPattern: awaited) }
  }

  func taskHasEnded(_ task: TaskPointer) {
    state.withLock { state in
      if state.awaitedTasks.removeValue(forKey: task) != nil { state.endedAwaitedTasks += 1 }
    }
  }

  /// Notes that a job was enqueued, and asks the run loop to drive.
  func wake() {
    let isDriving = turns.isDriving
    let mustPost = state.withLock { state in
      let mustPost = !isDriving && !state.isPosted && state.executor != nil
      if mustPost { state.isPosted = true }
      return mustPost
    }
    if mustPost { post() }
  }

  /// Notes that code has begun a delay. Where the test's runs of its run loop are real, nothing else tells that the
  /// test waits in one. So each delay asks the run loop to drive: time moves as soon as the test runs its run loop.
  func noteDelayedWork() {
    if sleepless_fact_fails(sleepless_fact_run_loops) { wake() }
  }

  private func post() {
    runInRunLoop { [self] in
      state.withLock { $0.isPosted = false }
      driveFromRunLoop()
    }
  }

  /// Has the main run loop run code that drives, in no block of the main queue: there the queue is not emptied, and so
  /// the driver could not have a queue that targets it call a block.
  ///
  /// A block of the main queue hands the code to the run loop, which runs it when the queue is empty. If a later block
  /// of the queue runs the run loop itself, the code runs in that block, further down the stack than the first block. It
  /// is handed over again then.
  private func runInRunLoop(_ code: @escaping @Sendable () -> Void) {
    outsideSimulations {
      DispatchQueue.main.async { [self] in
        let position = sleepless_stack_position()
        outsideSimulations {
          RunLoop.main.perform(inModes: [.common]) { [self] in
            // The stack grows downwards.
            sleepless_stack_position() < position ? runInRunLoop(code) : code()
          }
        }
      }
    }
  }

  // MARK: Driving

  /// Begins a simulation. The tasks that this thread creates from now on belong to it.
  func begin(_ options: Simulation.Options) {
    let executor = SimulationExecutor(options, capture: capture, host: self)
    state.withLock { state in
      state.executor = executor
      state.givenUpConditions = []
      state.isEndTold = false
    }
    // A job keeps its thread, and the main thread waits for it or is that thread. All that can be done is to say so.
    // Where a fact about waits is missing, the test's own code may wait in real time, and the process has to end.
    watch.begin(executor) { [self] _ in
      let mayWaitForReal = RuntimeVerdict.factsOfRealWaits != nil && !isDriving
      mayWaitForReal ? stop(executor) : framework.onBlocked(executor.report(.blocked))
    }
    _ = sleepless_enter(executor.context)
  }

  func advance(by duration: Duration) -> HostedSimulation.Halt? {
    guard let executor else { return nil }
    return drive(for: .advance(to: executor.timeline.now.advanced(by: duration)))
  }

  func settle(withinMoves moves: Int) -> HostedSimulation.Halt? {
    guard let executor else { return nil }
    let lastMove = executor.state.withLock { $0.lastMove(of: moves) }
    return drive(for: .settle(lastMove: lastMove))
  }

  /// Drives for a test that waits on the main thread. Returns the reason if the request could not be met.
  func drive(for request: TimeRequests.HostRequest) -> HostedSimulation.Halt? {
    guard let executor else { return nil }
    let outer = executor.exchangeHostRequest(request)
    defer { _ = executor.exchangeHostRequest(outer) }
    switch drive(executor) {
    case .wanted: return executor.state.withLock { $0.requests.isHostRestless } ? .restless : nil
    case .silence: return .silence(executor.options.timeout)
    case .cannotGoOn(let ending):
      let isTold = state.withLock { $0.isEndTold }
      let givenUp = giveUp(executor, ending)
      return isTold ? .told : .givenUp(givenUp)
    }
  }

  var isDriving: Bool { turns.isDriving }

  var executor: SimulationExecutor? { state.withLock { $0.executor } }

  /// Whether a wait of the test framework on the main thread may drive: the framework waits for no task of an
  /// asynchronous test, and no driver is on the stack.
  var mayWait: Bool {
    !isDriving && state.withLock { $0.awaitedTasks.isEmpty && !$0.isWaiting }
  }

  /// Drives until a wait of a synchronous test has ended. If the simulation cannot go on, the wait ends as if
  /// its timeout had passed. Where time is moved by hand, it moves up to that instant.
  func drive(until wait: FrameworkWait, whichEndsBy end: Instant) {
    // real time: none, this runs what is enqueued in the main queue
    runRunLoop(for: 0)
    let outer = wait.executor.exchangeHostRequest(.move(upTo: end))
    defer { _ = wait.executor.exchangeHostRequest(outer) }
    if case .cannotGoOn(let ending) = drive(wait.executor, until: { wait.hasEnded }) {
      giveUpAtCallersLine(wait.executor, ending)
    }
    if !wait.hasEnded { wait.endByTimer() }
  }

  /// Why the main thread drives no longer.
  enum Halt {
    /// What the test waits for has come.
    case wanted
    /// Code outside has resumed no task for as long as the timeout allows.
    case silence
    case cannotGoOn(SimulationState.Ending)
  }

  /// Drives until the test's request is met or `isOver` is true, or the simulation cannot go on.
  func drive(
    _ executor: SimulationExecutor, until isOver: @escaping @Sendable () -> Bool = { false }
  ) -> Halt {
    while self.executor === executor, !isOver() {
      let reason = driveToWait(executor, until: isOver)
      guard isStillDriven(executor) else { break }
      if let ending = ending(of: executor, after: reason) { return .cannotGoOn(ending) }
      guard case .waitForOutside(let isExpected) = reason else { break }
      let goesOn =
        waitForOutside(executor, isExpected: isExpected, until: isOver)
        || executor.callDeadlockHandlers()
      guard goesOn else { return .silence }
    }
    // A request to drive may have come while this drove.
    if executor.timeline.count > 0 { noteDelayedWork() }
    return .wanted
  }

  /// Whether a simulation that was driven until now has not been given up by a function of a scheduler. If it has, the
  /// driver that has returned has left this thread to it.
  private func isStillDriven(_ executor: SimulationExecutor) -> Bool {
    guard let current = self.executor, current !== executor else { return true }
    _ = sleepless_enter(current.context)
    return false
  }

  /// How a simulation has ended that cannot go on. It may have ended while a job blocked the main thread.
  private func ending(
    of executor: SimulationExecutor, after reason: SimulationExecutor.StopReason
  ) -> SimulationState.Ending? {
    if let first = executor.state.withLock({ $0.firstEnd }) { return first.ending }
    guard case .end(let ending) = reason, !ending.isFinished else { return nil }
    return ending
  }

  func giveUpAtCallersLine(
    _ executor: SimulationExecutor, _ ending: SimulationState.Ending,
    during wait: Simulation.WaitOfTest? = nil
  ) {
    _ = giveUp(executor, ending, during: wait, at: callersLine, tell: report)
  }

  /// The line of the test that has made the present call.
  var callersLine: SourceLine? { SourceLines.ofCaller(above: stackBeforeTest) }

  /// Takes up to `stepsPerTurn` steps from the run loop, while the test framework waits in it.
  private func driveFromRunLoop() {
    let (executor, mayDrive) = state.withLock { ($0.executor, !isDriving && !$0.isWaiting) }
    guard mayDrive, let executor else { return }
    state.withLock { $0.deadlockTimer.take() }?.cancel()
    let ended = state.withLock { $0.endedAwaitedTasks }
    let reason = turns.drive(executor, atMost: Self.stepsPerTurn) { [self] in
      state.withLock { $0.endedAwaitedTasks } != ended
    }
    guard isStillDriven(executor) else { return }
    // Without a timeout there is a reason.
    if let ending = ending(of: executor, after: reason!) {
      _ = giveUp(executor, ending, tell: report)
      return
    }
    switch reason {
    case .enoughSteps: wake()
    case .waitForOtherThreads:
      executor.state.withLock { $0.outside.useMillisecond() }
      outsideSimulations {
        // real time: no hook reports when a task on another thread is suspended
        _ = DispatchQueue.main.schedule(after: .milliseconds(1)) { [self] in wake() }
      }
    case .waitForOutside(let isExpected):
      // `wake()` asks nothing of the run loop while this drives, so a job that was enqueued then needs
      // this call.
      guard !executor.state.withLock({ $0.hasJobs }) else { return wake() }
      watchForDeadlock(executor, isExpected: isExpected)
    default: break
    }
  }

  /// Takes steps until there is a reason to stop, or `isOver` is true before a step. Runs the run loop while
  /// tasks of the simulation run on other threads.
  @discardableResult
  func driveToWait(
    _ executor: SimulationExecutor, until isOver: @escaping @Sendable () -> Bool = { false }
  ) -> SimulationExecutor.StopReason {
    while true {
      // Without a timeout there is a reason.
      let reason = turns.drive(executor, until: isOver)!
      guard case .waitForOtherThreads = reason else { return reason }
      executor.state.withLock { $0.outside.useMillisecond() }
      // real time: no hook reports when a task on another thread is suspended
      runRunLoop(for: 0.001)
    }
  }

  /// Runs the main thread's run loop, for at most so many seconds.
  func runRunLoop(for seconds: Double) {
    state.withLock { $0.isWaiting = true }
    defer { state.withLock { $0.isWaiting = false } }
    outsideSimulations {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds))
    }
  }

  /// Runs the run loop until a job comes from outside or `isOver` is true; false if neither is so in time. It also
  /// ends when the last call of `Simulation.outside` has ended, if there is one.
  func waitForOutside(
    _ executor: SimulationExecutor, isExpected: Bool, until isOver: () -> Bool = { false }
  ) -> Bool {
    let isLate = Locked(false)
    let timer = HangTimer(executor.options.timeout(isExpected: isExpected)) {
      isLate.withLock { $0 = true }
    }
    defer { timer.cancel() }
    let isForCalls = executor.state.withLock { $0.outside.calls > 0 }
    while executor.state.withLock({ !$0.hasJobs && (!isForCalls || $0.outside.calls > 0) }) {
      if isOver() { return true }
      if isLate.withLock({ $0 }) { return false }
      // real time: the answer comes from outside the simulation
      runRunLoop(for: 0.01)
    }
    return true
  }

  private func watchForDeadlock(_ executor: SimulationExecutor, isExpected: Bool) {
    guard state.withLock({ !$0.awaitedTasks.isEmpty }) else { return }
    let steps = executor.state.withLock { $0.steps }
    let timeout = executor.options.timeout(isExpected: isExpected)
    let timer = HangTimer(timeout) { [self] in
      runInRunLoop { [self] in
        let isSame = state.withLock { $0.executor === executor }
        let (latest, hasJobs) = executor.state.withLock { ($0.steps, $0.hasJobs) }
        guard isSame, latest == steps, !hasJobs else { return }
        if executor.callDeadlockHandlers() { return wake() }
        _ = giveUp(executor, .deadlock, tell: report)
      }
    }
    state.withLock { $0.deadlockTimer = timer }
  }

  /// Fails the test because the simulation could not go on and a job still blocks the main thread.
  func tellEnd(of executor: SimulationExecutor, _ ending: SimulationState.Ending) {
    let isNew = state.withLock { state in
      guard !state.isEndTold, state.executor === executor else { return false }
      state.isEndTold = true
      return true
    }
    guard isNew else { return }
    _ = watch.end(executor)
    framework.onBlocked(executor.report(ending))
  }

  /// Fails the test because its code has waited on the main thread in real time, probably for the simulation, and stops
  /// the process: XCTest could run no other test.
  private func stop(_ executor: SimulationExecutor) {
    // It may have gone on since the watchdog looked.
    guard CPUContention.mainThreadWaitsForLock else { return }
    var report = executor.report(.blocked)
    report.waitOfTest = Simulation.WaitOfTest(
      reason: "what takes real time here", since: executor.timeline.now.duration)
    framework.onBlocked(report)
    fflush(nil)
    fatalError(
      "A test has waited on the main thread in real time for longer than the hang timeout. It has failed, see above."
    )
  }

  func isGivenUp(_ condition: UInt) -> Bool {
    state.withLock { $0.givenUpConditions.contains(condition) }
  }

  func noteGivenUp(_ condition: UInt) {
    state.withLock { _ = $0.givenUpConditions.insert(condition) }
  }

  // MARK: The end

  /// Ends a simulation that cannot go on, and begins another one for the rest of the test. At least
  /// `tearDown` is left to run, and it may wait too.
  ///
  /// All tasks are cancelled, so that the framework's own tasks may end. Tasks that do not end will never
  /// run again, and the framework must not wait for them. `tell` is called before anything is cancelled,
  /// because a cancelled task may keep the main thread for ever. If the object that the framework waits on is
  /// unknown, because this version of XCTest waits in another way, the framework goes on waiting, and the
  /// run loop goes on.
  private func giveUp(
    _ executor: SimulationExecutor, _ ending: SimulationState.Ending,
    during wait: Simulation.WaitOfTest? = nil, at callersLine: SourceLine? = nil,
    tell: (HostedSimulation.GivenUp) -> Void = { _ in }
  ) -> HostedSimulation.GivenUp {
    let tasks = state.withLock { $0.awaitedTasks.keys.map { $0 } }
    let line =
      callersLine
      ?? tasks.lazy.compactMap { SourceLines.ofTest(among: suspendedFrames(of: $0)) }.first
    var report = executor.report(ending)
    report.waitOfTest = wait
    let givenUp = HostedSimulation.GivenUp(report: report, line: line)
    if !state.withLock({ $0.isEndTold }) { tell(givenUp) }
    _ = executor.driveToEnd(ending) { driveCancelled(executor) }
    let awaited = state.withLock { state in
      defer { state.awaitedTasks = [:] }
      return state.awaitedTasks.values.map { $0 }
    }
    // What is left of the test is no part of the schedule that an exploration looks at.
    var options = options
    options.controller = nil
    begin(options)
    for address in awaited {
      guard let object = UnsafeRawPointer(bitPattern: address) else { continue }
      framework.stopWaiting(Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue())
    }
    return givenUp
  }

  func report(_ givenUp: HostedSimulation.GivenUp) { framework.onGivenUp(givenUp) }

  func finish() -> Simulation.Report {
    guard let executor else { return .nested }
    state.withLock { $0.deadlockTimer.take() }?.cancel()
    executor.state.withLock { state in
      state.bodyHasEnded = true
      state.noteCodeBetweenSteps()
    }
    var ending = SimulationState.Ending.finished
    if case .end(let reached) = driveToWait(executor) { ending = reached }
    guard isStillDriven(executor) else { return finish() }
    let report = executor.driveToEnd(ending) { driveCancelled(executor) }
    state.withLock { $0.executor = nil }
    watch.close()
    return report
  }

  /// Runs the tasks of a simulation that ends, which have been cancelled, to their ends.
  ///
  /// Each may ignore that and never be suspended again, as `while !isDone { try? await Task.sleep(…) }`. Then its
  /// thread is left alone, if it is not the main one.
  private func driveCancelled(_ executor: SimulationExecutor) {
    let timeout = executor.options.timeout(isExpected: false)
    while true {
      switch turns.drive(executor, timeout: timeout) {
      case .waitForOtherThreads:
        executor.state.withLock { $0.outside.useMillisecond() }
        // real time: no hook reports when a task on another thread is suspended
        runRunLoop(for: 0.001)
      case nil:
        _ = executor.abandon()
        return
      default: return
      }
    }
  }

  /// Whether a function is part of XCTest.
  private func isPartOfXCTest(_ code: UnsafeRawPointer) -> Bool {
    ImageLocation(of: code)?.fileName.contains("XCTest") ?? false
  }
}
