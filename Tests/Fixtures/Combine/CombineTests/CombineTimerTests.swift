// virtual time: all sleeps are in simulations
import Combine
import Dispatch
import Foundation
import OpenCombineDispatch
import OpenCombineFoundation
import SleeplessTesting
import Testing

#if os(Linux)
  /// Timers' publishers on the main run loop, in simulations.
  @Suite struct CombineTimerTests {
    @MainActor @Test(.simulated)
    func `subscribers of one timer get its ticks from its start to its end`() async throws {
      let log = PipelineLog()
      let timer = Timer.publish(every: 10, on: .main, in: .common)
      log.follow(timer.map { _ in "tick" }, as: "first")
      try await Task.sleep(for: .seconds(5))
      let connection = timer.connect()
      try await Task.sleep(for: .seconds(15))
      log.follow(timer.map { _ in "tick" }, as: "second")
      try await Task.sleep(for: .seconds(10))
      connection.cancel()
      try await Task.sleep(for: .seconds(100))
      #expect(log.lines.prefix(1) == ["first tick at 15.0 seconds"])
      // OpenCombine's timer keeps its subscribers in a dictionary, so they have no order.
      #expect(
        log.lines.dropFirst().sorted() == [
          "first tick at 25.0 seconds", "second tick at 25.0 seconds",
        ])
    }

    @MainActor @Test(.simulated) func `the dates of the ticks are an interval apart`() async throws
    {
      let (log, start) = (PipelineLog(), Date())
      let ticks = Timer.publish(every: 2.5, on: .main, in: .default).autoconnect()
      // A date is exact to a tenth of a microsecond.
      log.follow(ticks.map { date in (date.timeIntervalSince(start) * 1e6).rounded() / 1e6 })
      try await Task.sleep(for: .seconds(8))
      #expect(log.lines == ["2.5 at 2.5 seconds", "5.0 at 5.0 seconds", "7.5 at 7.5 seconds"])
    }

    @MainActor @Test(.simulated) func `the end of a pipeline ends its timer`() async throws {
      let log = PipelineLog()
      let ticks = Timer.publish(every: 10, on: .main, in: .common).autoconnect()
      log.follow(ticks.map { _ in "tick" }.first())
      await settle()
      #expect(log.lines == ["tick at 10.0 seconds", "end at 10.0 seconds"])
      #expect(Simulation.current?.now == .seconds(10))
    }

    @MainActor @Test(.simulated) func `a tick may cancel its timer`() async throws {
      let log = PipelineLog()
      let ticks = Timer.publish(every: 10, on: .main, in: .common).autoconnect()
      log.follow(
        ticks.map { _ in
          log.cancel()
          return "tick"
        })
      await settle()
      #expect(log.lines == [])
      #expect(Simulation.current?.now == .seconds(10))
    }

    @Test(.simulated) func `the ticks that a slow sink misses are left out`() async throws {
      let log = PipelineLog()
      let ticks = Timer.publish(every: 10, on: .main, in: .common).autoconnect()
      log.follow(
        ticks.map { _ in
          log.note("begins")
          Thread.sleep(forTimeInterval: 25)
          return "ends"
        })
      try await Task.sleep(for: .seconds(69))
      #expect(
        log.lines == [
          "begins at 10.0 seconds", "ends at 35.0 seconds", "begins at 40.0 seconds",
          "ends at 65.0 seconds",
        ])
    }

    @Test(.simulated) func `ticks go through other schedulers`() async throws {
      let log = PipelineLog()
      let queue = DispatchQueue(label: "ticks")
      log.follow(
        Timer.publish(every: 1, on: .main, in: .common).autoconnect()
          .scan(0) { count, _ in count + 1 }
          .delay(for: .milliseconds(500), scheduler: queue.ocombine)
          .throttle(for: .milliseconds(2500), scheduler: RunLoop.main.ocombine, latest: true))
      try await Task.sleep(for: .seconds(6))
      #expect(log.lines == ["1 at 1.5 seconds", "3 at 4.0 seconds"])
    }
  }
#endif
