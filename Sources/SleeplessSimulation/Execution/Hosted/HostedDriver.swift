import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// Drives a simulation from the main thread, whenever that waits for it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class HostedDriver: Sendable {
  private struct State {
    weak var executor: SimulationExecutor?
    var onStandstill: @Sendable (Simulation.Report) -> Void = { _ in }
    /// The tasks for whose end XCTest waits.
    var roots: Set<TaskPointer> = []
    var rootsEnded = 0
    var isDriving = false
    /// Whether the main queue holds a request to drive.
    var isPosted = false
    var isFinished = false
    var standstillTimer: GuardTimer?
  }

  /// How many steps are taken before the run loop may look after others.
  private static let batch = 1000

  private let state = Locked(State())

  func serve(
    _ executor: SimulationExecutor, onStandstill: @escaping @Sendable (Simulation.Report) -> Void
  ) {
    state.withLock { state in
      state.executor = executor
      state.onStandstill = onStandstill
    }
  }

  // MARK: What happens in the simulation

  func taskWasMade(_ task: TaskPointer, _ code: UnsafeRawPointer?) {
    guard Thread.isMainThread, let code, isXCTests(code) else { return }
    state.withLock { _ = $0.roots.insert(task) }
  }

  func taskHasEnded(_ task: TaskPointer) {
    state.withLock { state in
      if state.roots.remove(task) != nil { state.rootsEnded += 1 }
    }
  }

  /// A job has come in: it runs when the main thread gets round to it.
  func wake() {
    let mustPost = state.withLock { state in
      let mustPost = !state.isDriving && !state.isPosted && !state.isFinished
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

  /// Drives for the main thread's own code, which waits. Returns how long it waited for something
  /// outside if that was too long.
  func drive(for errand: HostErrand) -> Duration? {
    guard let executor = state.withLock({ $0.executor }) else { return nil }
    executor.state.withLock { $0.errand = errand }
    defer { executor.state.withLock { $0.errand = nil } }
    while true {
      guard case .wait = driveToWait(executor) else { return nil }
      guard waitForOutside(executor) else { return executor.options.patience }
    }
  }

  /// Drives a while for those who wait in the run loop.
  private func driveFromRunLoop() {
    let (executor, mayDrive) = state.withLock { ($0.executor, !$0.isDriving && !$0.isFinished) }
    guard mayDrive, let executor else { return }
    state.withLock { $0.standstillTimer.take() }?.cancel()
    switch driveOn(executor, atMost: Self.batch, stopsAtRoots: true) {
    case nil: wake()
    case .letOthersWork:
      executor.state.withLock { $0.waitsForOthers -= 1 }
      // real time: nobody tells when a task on another thread has come to rest
      DispatchQueue.main.schedule(after: .milliseconds(1)) { [self] in wake() }
    case .wait(let isExpected):
      // What came in while this drove asked for nothing.
      guard !executor.state.withLock({ $0.hasJobs }) else { return wake() }
      watchForStandstill(executor, isExpected: isExpected)
    case .elsewhere, .end: break
    }
  }

  /// Takes steps until there is a reason to stop; serves the run loop while tasks of the simulation are
  /// at work on other threads.
  @discardableResult
  private func driveToWait(_ executor: SimulationExecutor) -> SimulationExecutor.Stop? {
    while true {
      let stop = driveOn(executor)
      guard case .letOthersWork = stop else { return stop }
      executor.state.withLock { $0.waitsForOthers -= 1 }
      // real time: nobody tells when a task on another thread has come to rest
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
    }
  }

  /// Takes steps until there is a reason to stop, the limit is reached, or somebody whom XCTest
  /// waits for has ended.
  @discardableResult
  private func driveOn(
    _ executor: SimulationExecutor, atMost limit: Int = .max, stopsAtRoots: Bool = false
  ) -> SimulationExecutor.Stop? {
    let ended = state.withLock { state in
      state.isDriving = true
      return state.rootsEnded
    }
    defer { state.withLock { $0.isDriving = false } }
    var stop: SimulationExecutor.Stop?
    var steps = 0
    executor.capture.run(for: executor) {
      while stop == nil, steps < limit {
        stop = executor.takeStep(on: .host)
        steps += 1
        let hasEnded = stopsAtRoots && state.withLock { $0.rootsEnded } != ended
        if hasEnded { stop = .end(.finished) }
      }
    }
    return stop
  }

  /// Serves the run loop until a job comes from outside; false if none does in time.
  private func waitForOutside(_ executor: SimulationExecutor) -> Bool {
    let isOver = Locked(false)
    let timer = GuardTimer(executor.options.patience) { isOver.withLock { $0 = true } }
    defer { timer.cancel() }
    while executor.state.withLock({ !$0.hasJobs && $0.outsideCalls > 0 }) {
      if isOver.withLock({ $0 }) { return false }
      // real time: the answer comes from outside the simulation
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
    return true
  }

  private func watchForStandstill(_ executor: SimulationExecutor, isExpected: Bool) {
    guard state.withLock({ !$0.roots.isEmpty }) else { return }
    let steps = executor.state.withLock { $0.steps }
    let patience = executor.options.patience(isExpected: isExpected)
    let timer = GuardTimer(patience) { [self] in
      DispatchQueue.main.async { [self] in
        guard executor.state.withLock({ $0.steps }) == steps else { return }
        giveUp(executor)
      }
    }
    state.withLock { $0.standstillTimer = timer }
  }

  /// XCTest waits for a task that cannot go on: cancels everything, so that the task may end.
  private func giveUp(_ executor: SimulationExecutor) {
    let (onStandstill, isFinished) = state.withLock { ($0.onStandstill, $0.isFinished) }
    guard !isFinished, !executor.useLastResorts() else { return wake() }
    let report = executor.driveToEnd(.standstill) { self.driveToWait(executor) }
    state.withLock { $0.isFinished = true }
    onStandstill(report)
  }

  func finish() -> Simulation.Report {
    guard let executor = state.withLock({ $0.executor }) else { return .nested }
    state.withLock { $0.isFinished = true }
    executor.state.withLock { $0.bodyHasEnded = true }
    driveToWait(executor)
    return executor.driveToEnd(.finished) { self.driveToWait(executor) }
  }

  /// Whether a task's function is part of XCTest.
  private func isXCTests(_ code: UnsafeRawPointer) -> Bool {
    var file: UnsafePointer<CChar>?
    var offset: UInt = 0
    var name: UnsafePointer<CChar>?
    guard sleepless_locate(code, &file, &offset, &name), let file else { return false }
    return String(cString: file).split(separator: "/").last!.contains("XCTest")
  }
}
