import CRuntimeHooks
import Foundation
import Sleepless

/// Code of a synchronous test that blocks the main thread. It is in no job, so the simulation is driven until it can go
/// on.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension HostedDriver {
  /// Whether the calling code is that of a synchronous test, and runs in no task and no function of a scheduler.
  var isOnStackOfTest: Bool { Thread.isMainThread && TaskPointer.current == nil && mayWait }

  /// Drives until `isMet` is true, or the timeout has passed in virtual time. If the simulation cannot go on before that,
  /// the test fails, and the wait is for real.
  func wait(atMost timeout: Duration?, because reason: String, until isMet: @escaping () -> Bool)
    -> sleepless_wait_result
  {
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
    let isOver: @Sendable () -> Bool = {
      if result.withLock({ $0 }) != nil { return true }
      guard isMet() else { return false }
      result.withLock { $0 = sleepless_wait_ended }
      return true
    }
    while !isOver() {
      switch driveToWait(executor, until: isOver) {
      case .waitForOutside(let isExpected):
        let goesOn =
          waitForOutside(executor, isExpected: isExpected, until: isOver)
          || executor.callDeadlockHandlers()
        guard goesOn else { return giveUpWait(executor, .deadlock) }
      case .end(let ending) where !ending.isFinished: return giveUpWait(executor, ending)
      default: break
      }
    }
    return result.withLock { $0! }
  }

  /// Drives until something has happened that may have met a condition, whose mutex is unlocked meanwhile. A wait for a
  /// condition may end without a signal: the caller looks, and waits again.
  func wait(
    untilSignalled condition: UInt, atMost timeout: Duration?, unlock: () -> Void, lock: () -> Void
  ) -> sleepless_wait_result {
    guard let executor, !isGivenUp(condition) else { return sleepless_wait_is_real }
    unlock()
    defer { lock() }
    let steps = executor.state.withLock { $0.steps }
    let result = wait(atMost: timeout, because: "a condition") {
      executor.state.withLock { $0.steps != steps }
    }
    guard result == sleepless_wait_is_real else { return result }
    // It may have been met while the test failed. If not, the next wait for it is real.
    noteGivenUp(condition)
    return sleepless_wait_ended
  }

  private func giveUpWait(
    _ executor: SimulationExecutor, _ ending: SimulationState.Ending
  ) -> sleepless_wait_result {
    giveUpAtCallersLine(executor, ending)
    return sleepless_wait_is_real
  }

  /// Runs the main run loop for code of the test.
  func runRunLoop(atMost timeout: Duration?, stopsAfterWork: Bool) -> sleepless_run_loop_result {
    let jobs = turns.mainActorJobs
    let result = wait(atMost: timeout, because: "the main run loop") { [turns] in
      stopsAfterWork && turns.mainActorJobs != jobs
    }
    return result == sleepless_wait_is_real
      ? sleepless_run_loop_is_real : sleepless_run_loop_has_run
  }

  /// Starts a substitute while a job blocks the main thread. If the simulation cannot go on before that job returns, the
  /// test fails. The main thread then stays blocked, unless code outside lets it go on.
  func startSubstitute(of executor: SimulationExecutor, from job: Job?) {
    outsideSimulations {
      _ = Task.detached(executorPreference: DriverThreads.shared) { [self] in
        var ending = await executor.drive(from: job)
        while let end = ending {
          noteEnd(of: executor, end)
          guard case .deadlock = end else { return }
          while await !executor.waitForOutside(isExpected: true) {}
          ending = await executor.drive()
        }
      }
    }
  }
}
