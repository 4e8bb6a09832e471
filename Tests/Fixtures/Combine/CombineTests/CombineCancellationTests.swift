// virtual time: all sleeps are in simulations
import Combine
import Dispatch
import Foundation
import OpenCombineDispatch
import OpenCombineFoundation
import Sleepless
import SleeplessTesting
import Testing

#if os(Linux)
  /// Pipelines that are cancelled while a value is due, in simulations.
  @Suite struct CombineCancellationTests {
    @MainActor
    @Test(
      .simulated,
      arguments: [
        TimedOperator.debounce, .delay, .throttleLatest, .throttleFirst, .timeout, .failingTimeout,
      ], Place.allCases)
    func `after cancel() nothing comes`(timed: TimedOperator, place: Place) async throws {
      let subject = PassthroughSubject<String, Late>()
      let log = PipelineLog(roundingTo: place.unit)
      log.follow(timed.applied(to: subject, on: place.scheduler))
      try await Task.sleep(for: .seconds(1))
      subject.send("a")
      try await Task.sleep(for: .milliseconds(200))
      subject.send("b")
      try await Task.sleep(for: .milliseconds(100))
      log.cancel()
      try await Task.sleep(for: .seconds(60))
      let earlier = timed.lines.filter {
        $0.hasSuffix(" 1.0 seconds") || $0.hasSuffix(" 1.2 seconds")
      }
      #expect(log.lines == earlier)
    }

    @MainActor @Test(.simulated, arguments: Place.allCases)
    func `a value on its way to a queue does not arrive after cancel()`(place: Place) async throws {
      let (log, subject) = (PipelineLog(), PassthroughSubject<String, Late>())
      log.follow(TimedOperator.receive.applied(to: subject, on: place.scheduler))
      subject.send("a")
      log.cancel()
      await settle()
      #expect(log.lines == [])
    }

    @MainActor @Test(.simulated, arguments: [false, true])
    func `of a value and cancel() at one instant, what was submitted first is first`(
      valueIsFirst: Bool
    ) async throws {
      let log = PipelineLog()
      let publish = {
        log.follow(Just(1).delay(for: .seconds(5), scheduler: DispatchQueue.main.ocombine))
      }
      if valueIsFirst { publish() }
      DispatchQueue.main.asyncAfter(deadline: .now() + 5) { log.cancel() }
      if !valueIsFirst { publish() }
      await settle()
      #expect(log.lines == (valueIsFirst ? ["1 at 5.0 seconds", "end at 5.0 seconds"] : []))
    }

    @Test func `an exploration finds each place of cancel() at the instant of a value`()
      async throws
    {
      let orders = Locked<Set<[String]>>([])
      try await explore {
        let log = PipelineLog()
        let queue = DispatchQueue(label: "values")
        log.follow(Just(1).delay(for: .seconds(5), scheduler: queue.ocombine))
        try await Task.sleep(for: .seconds(5))
        log.cancel()
        await settle()
        orders.withLock { _ = $0.insert(log.lines) }
      }
      let lines = ["1 at 5.0 seconds", "end at 5.0 seconds"]
      #expect(orders.withLock { $0 } == [[], Array(lines.prefix(1)), lines])
    }

    @MainActor @Test(.simulated) func `a pipeline may cancel itself`() async throws {
      let log = PipelineLog()
      log.follow(
        [1, 2, 3].publisher.delay(for: .seconds(5), scheduler: DispatchQueue.main.ocombine)
          .map { value in
            if value == 2 { log.cancel() }
            return value
          })
      await settle()
      #expect(log.lines == ["1 at 5.0 seconds"])
    }

    @MainActor @Test(.simulated, arguments: Place.allCases)
    func `nothing comes when the token has been released`(place: Place) async throws {
      let (subject, log) = (PassthroughSubject<String, Late>(), PipelineLog())
      var owner: PipelineLog? = PipelineLog()
      owner?.follow(
        TimedOperator.delay.applied(to: subject, on: place.scheduler).map { log.note($0) })
      subject.send("a")
      try await Task.sleep(for: .seconds(4))
      // Without this line, optimized code may release the owner after its last use, before the sleep ends.
      withExtendedLifetime(owner) {}
      owner = nil
      await settle()
      #expect(log.lines == [])
    }

    @MainActor
    @Test(.simulated, arguments: [Place.mainQueue, .serialQueue, .globalQueue, .mainRunLoop])
    func `after cancel() the timer of a debounce is gone`(place: Place) async throws {
      let (subject, log) = (PassthroughSubject<String, Late>(), PipelineLog())
      log.follow(TimedOperator.debounce.applied(to: subject, on: place.scheduler))
      subject.send("a")
      try await Task.sleep(for: .milliseconds(499))
      log.cancel()
      await settle()
      #expect(Simulation.current?.now == .milliseconds(499))
    }
  }
#endif
