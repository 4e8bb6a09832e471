import CRuntimeHooks
import Foundation
import Sleepless

/// Code of a synchronous test that blocks the main thread. It is in no job, so the simulation is driven until it can go
/// on.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension HostedDriver {
  /// Whether the calling code is that of a synchronous test, and runs in no task and no function of a scheduler.
  var isOnStackOfTest: Bool { Thread.isMainThread && TaskPointer.current == nil && mayWait }

  /// Moves time on for code of the test that sleeps; always true.
  func sleep(for duration: Duration) -> Bool {
    switch advance(by: duration) {
    case .givenUp(let end):
      report(HostedSimulation.GivenUp(report: end.report, line: callersLine ?? end.line))
    case .silence: executor.map { giveUpAtCallersLine($0, .deadlock) }
    case .restless, .told, nil: break
    }
    return true
  }

  /// Waits for an object. If the simulation cannot go on before the object is ready, the test fails, and the wait is
  /// for real.
  func block(
    until awaited: SimulationExecutor.Awaited, atMost timeout: Duration?
  ) -> sleepless_wait_result {
    let signals = SignalCount(of: awaited.address)
    return wait(atMost: timeout, because: awaited.name) {
      // A group may have been empty only for a moment.
      awaited.take() || (awaited.isGroup && signals.isAny)
    }
  }

  /// Waits until a condition is signalled. Its mutex is unlocked meanwhile.
  func wait(
    untilSignalled condition: UInt, atMost timeout: Duration?, unlocking mutex: sleepless_mutex
  ) -> sleepless_wait_result {
    guard !isGivenUp(condition) else { return sleepless_wait_is_real }
    let signals = SignalCount(of: condition)
    mutex.unlock(mutex.address)
    defer { mutex.lock(mutex.address) }
    let result = wait(atMost: timeout, because: "a condition") { signals.isAny }
    if result != sleepless_wait_is_real {
      // A block that is blocked in virtual time may have the mutex.
      let isFree = wait(atMost: nil, because: "a lock") { mutex.is_free(mutex.address) }
      if isFree == sleepless_wait_ended { return result }
    }
    // A wait for a condition may end without a signal. What the caller waits for may have come while the test failed;
    // if not, the next wait for the condition is real.
    noteGivenUp(condition)
    return sleepless_wait_ended
  }

  /// Runs the main run loop. If nothing can stop it, the test fails, and the run ends as if it was stopped. The next
  /// one is real.
  func run(_ run: RunLoopRun) -> sleepless_run_loop_result {
    guard run.timeout != nil || !isGivenUp(run.runLoop) else { return sleepless_run_loop_is_real }
    let result = wait(atMost: run.timeout, because: run.name, runsMainActor: true) { run.isOver }
    guard result == sleepless_wait_is_real else { return run.result }
    guard run.purpose != sleepless_runs_to_limit else { return sleepless_run_loop_is_real }
    noteGivenUp(run.runLoop)
    return sleepless_run_loop_is_stopped
  }

  /// Drives until `isMet` is true, or the timeout has passed in virtual time.
  private func wait(
    atMost timeout: Duration?, because reason: String, runsMainActor: Bool = false,
    until isMet: @escaping () -> Bool
  ) -> sleepless_wait_result {
    guard let executor else { return sleepless_wait_is_real }
    // One thread at a time calls it.
    nonisolated(unsafe) let isMet = isMet
    let result = Locked<sleepless_wait_result?>(nil)
    let token = timeout.map { timeout in
      executor.queue.schedule(
        .function { result.withLock { $0 = $0 ?? sleepless_wait_timed_out } }, after: timeout,
        label: reason, at: CallSite())
    }
    defer { token?.cancel() }
    let waitOfTest = Simulation.WaitOfTest(reason: reason, since: executor.timeline.now.duration)
    let holder = TaskPointer(UnsafeMutableRawPointer(executor.context))
    if !runsMainActor { executor.state.withLock { $0.holdMainActor(for: holder) } }
    // Where time is moved by hand, it moves up to the end of the wait.
    let end = timeout.map { executor.timeline.now.advanced(by: $0) }
    let outer = executor.exchangeHostRequest(end.map { .move(upTo: $0) })
    let halt = drive(executor) {
      if result.withLock({ $0 }) != nil { return true }
      guard isMet() else { return false }
      result.withLock { $0 = sleepless_wait_ended }
      return true
    }
    _ = executor.exchangeHostRequest(outer)
    if !runsMainActor { executor.state.withLock { $0.releaseMainActor(for: holder) } }
    switch halt {
    case .wanted where self.executor !== executor && result.withLock { $0 == nil }:
      // A function of a scheduler has given the simulation up. The wait goes on in the next one.
      return wait(
        atMost: timeout, because: reason, runsMainActor: runsMainActor, until: isMet)
    case .wanted: break
    case .silence: giveUpAtCallersLine(executor, .deadlock, during: waitOfTest)
    case .cannotGoOn(let ending): giveUpAtCallersLine(executor, ending, during: waitOfTest)
    }
    return result.withLock { $0 } ?? sleepless_wait_is_real
  }

  /// Fails the test, because its own code waits for something that only this code could do, and gives the simulation
  /// up.
  func failWaitForItself(because reason: String) {
    guard let executor else { return }
    let wait = Simulation.WaitOfTest(reason: reason, since: executor.timeline.now.duration)
    giveUpAtCallersLine(executor, .deadlock, during: wait)
  }

  /// Starts a substitute while a job blocks the main thread.
  ///
  /// If the simulation cannot go on, all tasks are cancelled, which may let the job go on. If it does not, the test
  /// fails, and the main thread stays blocked unless code outside lets the job go on.
  func startSubstitute(of executor: SimulationExecutor, from job: Job?) {
    outsideSimulations {
      _ = Task.detached(executorPreference: DriverThreads.shared) { [self] in
        var ending = await executor.drive(from: job)
        while let end = ending {
          if !executor.endBesideMainThread(end) {
            tellEnd(of: executor, end)
            guard end.isFinished || end.isDeadlock else { return }
            while await !executor.waitForOutside(isExpected: true) {}
          }
          ending = await executor.drive()
        }
      }
    }
  }
}

/// Counts the signals for an object for which code of a test waits.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class SignalCount: Sendable {
  /// The counts by the keys of the objects' addresses.
  fileprivate static let counts = Locked<[UInt: Int]>([:])

  private let address: UInt
  private let outer: Int?

  init(of address: UInt) {
    self.address = address
    outer = Self.counts.withLock { $0.updateValue(0, forKey: ~address) }
    sleepless_count_waiters(1)
  }

  deinit {
    sleepless_count_waiters(-1)
    Self.counts.withLock { $0[~address] = outer }
  }

  var isAny: Bool { Self.counts.withLock { $0[~address]! > 0 } }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension HostedDriver {
  /// Whether code of a test waits for an object. Calls `retain` then, while that code has a reference to it.
  static func retainAwaited(_ address: UInt, _ retain: () -> Void) -> Bool {
    SignalCount.counts.withLock { counts in
      if counts[~address] != nil { retain() }
      return counts[~address] != nil
    }
  }

  /// Notes a signal for an object, or that a group is empty. Returns whether it is the first for a synchronous test
  /// that waits for it.
  static func noteSignal(of address: UInt) -> Bool {
    SignalCount.counts.withLock { counts in
      guard let count = counts[~address] else { return false }
      counts[~address] = count + 1
      return count == 0
    }
  }
}
