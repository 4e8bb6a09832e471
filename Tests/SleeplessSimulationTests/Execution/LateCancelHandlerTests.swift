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

  /// What handlers note. `pause` lets the queue run its blocks.
  private func course(
    _ moment: Moment, pause: @Sendable (DispatchQueue) async -> Void
  ) async -> [String] {
    let log = Log<String>()
    let queue = DispatchQueue(label: "com.example.queue")
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
    let cancelAndSetHandler: @Sendable () -> Void = {
      timer.cancel()
      timer.setCancelHandler { log.append("cancelled") }
    }
    timer.setEventHandler { if moment == .inEventHandler { cancelAndSetHandler() } }
    timer.schedule(deadline: moment == .inEventHandler ? .now() : .distantFuture)
    timer.activate()
    switch moment {
    case .atOnce: cancelAndSetHandler()
    case .later:
      timer.cancel()
      await pause(queue)
      timer.setCancelHandler { log.append("cancelled") }
    case .afterAnotherHasRun:
      timer.setCancelHandler { log.append("cancelled first") }
      timer.cancel()
      await pause(queue)
      timer.setCancelHandler { log.append("cancelled") }
    case .inEventHandler: break
    case .whileSuspended:
      timer.suspend()
      cancelAndSetHandler()
      timer.resume()
    }
    await pause(queue)
    return log.values
  }

  @Test(arguments: Moment.allCases)
  func `S10 a cancel handler that is set when the timer is cancelled runs`(
    moment: Moment
  ) async throws {
    let native = await course(moment) { queue in
      for _ in 1...3 { await withCheckedContinuation { done in queue.async { done.resume() } } }
    }
    let outcome = await Simulation.run {
      await course(moment) { _ in await Simulation.current!.settle() }
    }
    #expect(try outcome.result?.get() == native)
    #expect(native.last == "cancelled")
  }
}
