// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

/// What simulations do with unusual uses of Dispatch.
@Suite(.needs(.queues)) struct DispatchMisuseTests {
  @Test func `T5 a deadline in the past means now, a distant one never`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let now = { @Sendable in "\(Simulation.current!.now)" }
      try await Task.sleep(for: .seconds(1))
      let queue = DispatchQueue(label: "deadlines")
      queue.asyncAfter(deadline: .now() - 5) { log.append("past \(now())") }
      queue.asyncAfter(deadline: .now() + .nanoseconds(.min)) { log.append("least \(now())") }
      queue.asyncAfter(wallDeadline: .now() - 5) { log.append("wall \(now())") }
      queue.asyncAfter(deadline: .distantFuture) { log.append("never") }
      log.append("wait \(Self.waits(until: .now() - 1)) \(now())")
      try await Task.sleep(for: .seconds(1_000_000))
      return log.values
    }
    let events = try #require(try outcome.result?.get())
    #expect(
      events.sorted() == [
        "least 1.0 seconds", "past 1.0 seconds", "wait false 1.0 seconds", "wall 1.0 seconds",
      ])
  }

  private static func waits(until deadline: DispatchTime) -> Bool {
    DispatchSemaphore(value: 0).wait(timeout: deadline) == .success
  }

  @Test func `a queue that is released with work runs it`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      for number in 1...3 {
        DispatchQueue(label: "released").asyncAfter(deadline: .now() + .seconds(number)) {
          log.append("\(number)")
        }
      }
      try await Task.sleep(for: .seconds(5))
      return log.values
    }
    #expect(try outcome.result?.get() == ["1", "2", "3"])
  }

  @Test func `a block that never ends is a blocked thread after the timeout`() async {
    var options = Simulation.Options()
    options.timeout = .milliseconds(50)
    let signal = ThreadSignal()
    let outcome = await Simulation.run(options) {
      // A wait in real time, as for a lock.
      DispatchQueue(label: "busy").async { signal.wait() }
      try await Task.sleep(for: .seconds(1))
    }
    #expect(outcome.report.ending.name == "threadBlocked")
    signal.send()
  }

  @Test(.needs(.clocks)) func `S4 a simulation that a block of a real queue begins`() async throws {
    let outcome = await withCheckedContinuation { continuation in
      DispatchQueue(label: "real").async {
        Task {
          continuation.resume(
            returning: await Simulation.run { () -> Duration in
              await withCheckedContinuation { continuation in
                DispatchQueue(label: "inside").asyncAfter(deadline: .now() + 60) {
                  continuation.resume()
                }
              }
              return Simulation.current!.now
            })
        }
      }
    }
    #expect(try outcome.result?.get() == .seconds(60))
  }

  @Test(.needs(.clocks))
  func `S4 a task that a block of the main queue has made begins a simulation`()
    async throws
  {
    let outcome = await withCheckedContinuation { continuation in
      outsideSimulations {
        DispatchQueue.main.async {
          Task { @MainActor in
            continuation.resume(
              returning: await Simulation.run { @MainActor () -> Duration in
                await withCheckedContinuation { continuation in
                  DispatchQueue.main.asyncAfter(deadline: .now() + 60) {
                    MainActor.assumeIsolated { continuation.resume() }
                  }
                }
                return Simulation.current!.now
              })
          }
        }
      }
    }
    #expect(try outcome.result?.get() == .seconds(60))
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `a simulation that a block of another one begins does not run`() async throws {
    let outcome = await Simulation.run { () -> String in
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "outer").async {
          Task {
            let inner = await Simulation.run {}
            continuation.resume(returning: inner.report.ending.name)
          }
        }
      }
    }
    #expect(try outcome.result?.get() == "nested")
  }

  @Test func `ten thousand threads that sleep are told before the machine runs out`() async {
    let outcome = await Simulation.run {
      for _ in 1...10_000 {
        DispatchQueue.global().async { Thread.sleep(forTimeInterval: 1) }
      }
      try await Task.sleep(for: .seconds(2))
    }
    guard case .tooManyBlockedThreads(let count) = outcome.report.ending else {
      Issue.record("\(outcome.report.ending)")
      return
    }
    #expect(count == 512)
  }
}
