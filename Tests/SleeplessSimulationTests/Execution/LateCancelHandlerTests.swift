// virtual time: all waits are in simulations
import Dispatch
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A cancel handler that is set after `cancel()` runs, as natively.
@Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct LateCancelHandlerTests {
  /// When the handler is set.
  enum Moment: CaseIterable {
    case atOnce, later, afterAnotherHasRun, inEventHandler, whileSuspended
  }

  /// Returns what the cancel handlers log.
  private func course(_ moment: Moment) async -> [String] {
    let log = Log<String>()
    let queue = DispatchQueue(label: "com.example.queue")
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
    let (first, last) = (Event(), Event())
    let setHandler: @Sendable () -> Void = {
      timer.setCancelHandler {
        log.append("cancelled")
        last.happen()
      }
    }
    timer.setEventHandler {
      guard moment == .inEventHandler else { return }
      timer.cancel()
      setHandler()
    }
    timer.schedule(deadline: moment == .inEventHandler ? .now() : .distantFuture)
    timer.activate()
    switch moment {
    case .atOnce:
      timer.cancel()
      setHandler()
    case .later:
      timer.cancel()
      await withCheckedContinuation { done in queue.async { done.resume() } }
      setHandler()
    case .afterAnotherHasRun:
      timer.setCancelHandler {
        log.append("cancelled first")
        first.happen()
      }
      timer.cancel()
      await first.wait()
      setHandler()
    case .inEventHandler: break
    case .whileSuspended:
      timer.suspend()
      timer.cancel()
      setHandler()
      timer.resume()
    }
    await last.wait()
    return log.values
  }

  @Test(arguments: Moment.allCases)
  func `S10 a cancel handler that is set when the timer is cancelled runs`(
    moment: Moment
  ) async throws {
    let native = await course(moment)
    let outcome = await Simulation.run { await course(moment) }
    #expect(try outcome.result?.get() == native)
    #expect(native.last == "cancelled")
  }
}
