// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Handlers of timer sources that make, change and cancel timers, wait, and use other queues (S10).
@Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct TimerHandlerTests {
  private let queue = DispatchQueue(label: "com.example.queue")
  private let other = DispatchQueue(label: "com.example.other")

  private func timer(on queue: DispatchQueue, every seconds: Double) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + seconds, repeating: seconds)
    return timer
  }

  @Test func `S10 a handler makes another timer`() async throws {
    let log = try await log { [queue, other] log in
      nonisolated(unsafe) let outer = timer(on: queue, every: 2)
      nonisolated(unsafe) var inner: [any DispatchSourceTimer] = []
      outer.setEventHandler {
        log.write("outer")
        inner.append(timer(on: other, every: 3))
        inner.last!.setEventHandler { log.write("inner") }
        inner.last!.activate()
        outer.cancel()
      }
      outer.activate()
      try await Task.sleep(for: .seconds(9))
      inner.last!.cancel()
    }
    #expect(log == ["2 outer", "5 inner", "8 inner"])
  }

  @Test func `S10 a handler cancels another timer, also one that is due at that moment`()
    async throws
  {
    let log = try await log { [queue] log in
      nonisolated(unsafe) let victim = timer(on: queue, every: 2)
      victim.setEventHandler { log.write("victim") }
      victim.setCancelHandler { log.write("cancelled") }
      nonisolated(unsafe) let killer = DispatchSource.makeTimerSource(queue: queue)
      killer.setEventHandler {
        log.write("killer")
        // The victim's third event waits for the queue.
        Thread.sleep(forTimeInterval: 1)
        victim.cancel()
      }
      killer.schedule(deadline: .now() + 5)
      victim.activate()
      killer.activate()
      try await Task.sleep(for: .seconds(20))
      withExtendedLifetime(killer) {}
    }
    #expect(log == ["2 victim", "4 victim", "5 killer", "6 cancelled"])
  }

  @Test func `S10 a handler that cancels its own timer runs to its end and not again`() async throws
  {
    let log = try await log { [queue] log in
      nonisolated(unsafe) let timer = timer(on: queue, every: 1)
      timer.setCancelHandler { log.write("cancelled") }
      timer.setEventHandler {
        timer.cancel()
        Thread.sleep(forTimeInterval: 3)
        log.write("event, cancelled: \(timer.isCancelled)")
      }
      timer.activate()
      try await Task.sleep(for: .seconds(9))
    }
    #expect(log == ["4 event, cancelled: true", "4 cancelled"])
  }

  @Test func `S10 a handler sets its own timer again`() async throws {
    let log = try await log { [queue] log in
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
      nonisolated(unsafe) var delay = 1.0
      timer.setEventHandler {
        log.write("event")
        delay *= 2
        if delay < 10 { timer.schedule(deadline: .now() + delay) }
      }
      timer.schedule(deadline: .now() + delay)
      timer.activate()
      try await Task.sleep(for: .seconds(60))
      timer.cancel()
    }
    #expect(log == ["1 event", "3 event", "7 event", "15 event"])
  }

  @Test func `S10 a handler of a block's timer waits for other queues, and resumes a task`()
    async throws
  {
    let log = try await log { [queue, other] log in
      await withCheckedContinuation { done in
        queue.async {
          nonisolated(unsafe) let timer = timer(on: queue, every: 1)
          timer.setEventHandler {
            other.sync { Thread.sleep(forTimeInterval: 2) }
            log.write("event")
            timer.cancel()
            done.resume()
          }
          timer.activate()
        }
      }
      log.write("task")
    }
    #expect(log == ["3 event", "3 task"])
  }

  @Test func `S10 a handler suspends and resumes another timer`() async throws {
    let log = try await log { [queue, other] log in
      nonisolated(unsafe) let held = timer(on: other, every: 2)
      held.setEventHandler { log.write("\(held.data)") }
      held.activate()
      let holder = timer(on: queue, every: 4)
      holder.schedule(deadline: .now() + 5, repeating: 4)
      nonisolated(unsafe) var isHeld = false
      holder.setEventHandler {
        if isHeld { held.resume() } else { held.suspend() }
        isHeld.toggle()
      }
      holder.activate()
      try await Task.sleep(for: .seconds(12.5))
      held.cancel()
      holder.cancel()
    }
    // The times 6 and 8 are one event.
    #expect(log == ["2 1", "4 1", "9 2", "10 1", "12 1"])
  }
}
