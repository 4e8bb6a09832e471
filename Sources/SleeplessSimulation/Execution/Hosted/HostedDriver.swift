import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// Drives simulations on the main thread, while a test waits for them there. It drives one at a time. When
/// a simulation cannot go on, the driver ends it and begins another one.
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
    var isDriving = false
    /// Whether the main queue holds a request to drive.
    var isPosted = false
    var deadlockTimer: HangTimer?
  }

  /// How many steps the driver takes in one turn of the run loop.
  private static let stepsPerTurn = 1000

  let options: Simulation.Options
  private let capture: any Capture
  private let framework: HostedSimulation.Framework
  private let state = Locked(State())

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
    let mustPost = state.withLock { state in
      let mustPost = !state.isDriving && !state.isPosted && state.executor != nil
      if mustPost { state.isPosted = true }
      return mustPost
    }
    if mustPost { post() }
  }

  private func post() {
    DispatchQueue.main.async { [self] in
      state.withLock { $0.isPosted = false }
      driveFromRunLoop()
    }
  }

  // MARK: Driving

  /// Begins a simulation. The tasks that this thread creates from now on belong to it.
  func begin() {
    let executor = SimulationExecutor(options, capture: capture, host: self)
    state.withLock { $0.executor = executor }
    _ = sleepless_enter(executor.context)
  }

  func advance(by duration: Duration) -> HostedSimulation.Halt? {
    guard let executor = state.withLock({ $0.executor }) else { return nil }
    return drive(for: .advance(to: executor.timeline.now.advanced(by: duration)))
  }

  /// Drives for a test that waits on the main thread. Returns the reason if the simulation cannot go on.
  func drive(for request: TimeRequests.HostRequest) -> HostedSimulation.Halt? {
    guard let executor = state.withLock({ $0.executor }) else { return nil }
    executor.state.withLock { $0.requests.host = request }
    defer { executor.state.withLock { $0.requests.host = nil } }
    while true {
      switch driveToWait(executor) {
      case .waitForOutside:
        guard waitForOutside(executor) else { return .silence(executor.options.timeout) }
      case .end(.finished), .wrongPlace, .waitForOtherThreads, nil: return nil
      case .end(let ending): return .givenUp(giveUp(executor, ending))
      }
    }
  }

  /// Takes up to `stepsPerTurn` steps from the run loop, while the test framework waits in it.
  private func driveFromRunLoop() {
    let (executor, mayDrive) = state.withLock { ($0.executor, !$0.isDriving) }
    guard mayDrive, let executor else { return }
    state.withLock { $0.deadlockTimer.take() }?.cancel()
    switch takeSteps(executor, atMost: Self.stepsPerTurn, stopsAtAwaitedEnd: true) {
    case nil: wake()
    case .waitForOtherThreads:
      executor.state.withLock { $0.outside.useMillisecond() }
      // real time: no hook reports when a task on another thread is suspended
      DispatchQueue.main.schedule(after: .milliseconds(1)) { [self] in wake() }
    case .waitForOutside(let isExpected):
      // `wake()` asks nothing of the run loop during `takeSteps`, so a job that was enqueued then needs
      // this call.
      guard !executor.state.withLock({ $0.hasJobs }) else { return wake() }
      watchForDeadlock(executor, isExpected: isExpected)
    case .end(.finished), .wrongPlace: break
    case .end(let ending): report(giveUp(executor, ending))
    }
  }

  /// Takes steps until there is a reason to stop; runs the run loop while tasks of the simulation run on
  /// other threads.
  @discardableResult
  private func driveToWait(_ executor: SimulationExecutor) -> SimulationExecutor.StopReason? {
    while true {
      let reason = takeSteps(executor)
      guard case .waitForOtherThreads = reason else { return reason }
      executor.state.withLock { $0.outside.useMillisecond() }
      // real time: no hook reports when a task on another thread is suspended
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
    }
  }

  /// Takes steps until there is a reason to stop, the limit is reached, or a task that XCTest waits for
  /// has ended.
  @discardableResult
  private func takeSteps(
    _ executor: SimulationExecutor, atMost limit: Int = .max, stopsAtAwaitedEnd: Bool = false
  ) -> SimulationExecutor.StopReason? {
    let ended = state.withLock { state in
      state.isDriving = true
      return state.endedAwaitedTasks
    }
    defer { state.withLock { $0.isDriving = false } }
    var reason: SimulationExecutor.StopReason?
    var steps = 0
    executor.capture.run(for: executor) {
      while reason == nil, steps < limit {
        reason = executor.takeStep(on: .testThread)
        steps += 1
        let hasEnded = stopsAtAwaitedEnd && state.withLock { $0.endedAwaitedTasks } != ended
        if hasEnded { reason = .end(.finished) }
      }
    }
    return reason
  }

  /// Runs the run loop until a job comes from outside; false if none does in time.
  private func waitForOutside(_ executor: SimulationExecutor) -> Bool {
    let isOver = Locked(false)
    let timer = HangTimer(executor.options.timeout) { isOver.withLock { $0 = true } }
    defer { timer.cancel() }
    while executor.state.withLock({ !$0.hasJobs && $0.outside.calls > 0 }) {
      if isOver.withLock({ $0 }) { return false }
      // real time: the answer comes from outside the simulation
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
    return true
  }

  private func watchForDeadlock(_ executor: SimulationExecutor, isExpected: Bool) {
    guard state.withLock({ !$0.awaitedTasks.isEmpty }) else { return }
    let steps = executor.state.withLock { $0.steps }
    let timeout = executor.options.timeout(isExpected: isExpected)
    let timer = HangTimer(timeout) { [self] in
      DispatchQueue.main.async { [self] in
        let isSame = state.withLock { $0.executor === executor }
        guard isSame, executor.state.withLock({ $0.steps }) == steps else { return }
        if executor.callDeadlockHandlers() { wake() } else { report(giveUp(executor, .deadlock)) }
      }
    }
    state.withLock { $0.deadlockTimer = timer }
  }

  // MARK: The end

  /// Ends a simulation that cannot go on, and begins another one for the rest of the test. At least
  /// `tearDown` is left to run, and it may wait too.
  ///
  /// All tasks are cancelled, so that the framework's own tasks may end. Tasks that do not end will never
  /// run again, and the framework must not wait for them. If the object that the framework waits on is
  /// unknown, because this version of XCTest waits in another way, the framework goes on waiting, and the
  /// run loop goes on.
  private func giveUp(
    _ executor: SimulationExecutor, _ ending: SimulationState.Ending
  ) -> HostedSimulation.GivenUp {
    let tasks = state.withLock { $0.awaitedTasks.keys.map { $0 } }
    let line = tasks.lazy.compactMap { SourceLines.ofTest(among: suspendedFrames(of: $0)) }.first
    let report = executor.driveToEnd(ending) { self.driveToWait(executor) }
    let awaited = state.withLock { state in
      defer { state.awaitedTasks = [:] }
      return state.awaitedTasks.values.map { $0 }
    }
    begin()
    for address in awaited {
      guard let object = UnsafeRawPointer(bitPattern: address) else { continue }
      framework.stopWaiting(Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue())
    }
    return HostedSimulation.GivenUp(report: report, line: line)
  }

  func report(_ givenUp: HostedSimulation.GivenUp) { framework.onGivenUp(givenUp) }

  func finish() -> Simulation.Report {
    guard let executor = state.withLock({ $0.executor.take() }) else { return .nested }
    state.withLock { $0.deadlockTimer.take() }?.cancel()
    executor.state.withLock { $0.bodyHasEnded = true }
    var ending = SimulationState.Ending.finished
    if case .end(let reached) = driveToWait(executor) { ending = reached }
    return executor.driveToEnd(ending) { self.driveToWait(executor) }
  }

  /// Whether a function is part of XCTest.
  private func isPartOfXCTest(_ code: UnsafeRawPointer) -> Bool {
    ImageLocation(of: code)?.fileName.contains("XCTest") ?? false
  }
}
