// virtual time: all sleeps are in simulations
import Combine
import Dispatch
import Foundation
import OpenCombineDispatch
import OpenCombineFoundation
import SleeplessTesting
import Testing

#if os(Linux)
  /// The operators that take a scheduler, on each scheduler of OpenCombine, with nothing injected.
  @Suite struct CombineOperatorTimeTests {
    @MainActor @Test(.simulated, arguments: TimedOperator.allCases, Place.allCases)
    func `an operator takes virtual time`(timed: TimedOperator, place: Place) async throws {
      #expect(try await lines(of: timed, on: place) == timed.lines)
    }

    @MainActor @Test(arguments: TimedOperator.allCases, Place.allCases)
    func `S1 its times are the same in each order`(timed: TimedOperator, place: Place) async throws
    {
      try await explore(schedules: 10) { @MainActor in
        let lines = try await lines(of: timed, on: place)
        #expect(lines == timed.lines)
      }
    }

    @MainActor @Test(.simulated(time: .manual), arguments: Place.allCases)
    func `a value comes when the test moves time`(place: Place) async {
      let (log, subject) = (PipelineLog(), PassthroughSubject<String, Late>())
      log.follow(TimedOperator.debounce.applied(to: subject, on: place.scheduler))
      subject.send("a")
      await Simulation.advance(by: .milliseconds(499))
      #expect(log.lines == [])
      await Simulation.advance(by: .milliseconds(1))
      #expect(log.lines == ["a at 0.5 seconds"])
    }

    @MainActor @Test(.simulated) func `queues measure to the nanosecond`() async throws {
      let (log, subject) = (PipelineLog(), PassthroughSubject<String, Late>())
      log.follow(subject.measureInterval(using: DispatchQueue.main.ocombine).map(\.magnitude))
      try await Task.sleep(for: .nanoseconds(1))
      subject.send("a")
      try await Task.sleep(for: .seconds(3600))
      subject.send("b")
      #expect(log.lines == ["1 at 1e-09 seconds", "3600000000000 at 3600.000000001 seconds"])
    }

    @MainActor @Test(.simulated, arguments: Place.allCases)
    func `an action is repeated until it is cancelled`(place: Place) async throws {
      let log = PipelineLog(roundingTo: place.unit)
      let token = ticks(on: place.scheduler, log)
      try await Task.sleep(for: .milliseconds(4500))
      token.cancel()
      try await Task.sleep(for: .seconds(60))
      #expect(log.lines == ["tick at 2.0 seconds", "tick at 3.0 seconds", "tick at 4.0 seconds"])
    }

    @MainActor private func ticks<S: Scheduler>(
      on scheduler: S, _ log: PipelineLog
    ) -> any Cancellable {
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(2)), interval: .seconds(1)) {
        log.note("tick")
      }
    }

    /// What comes of "a" at 1 s, "b" at 1.2 s, "c" at 1.4 s, "d" at 4 s, and the end at 9 s.
    @MainActor private func lines(of timed: TimedOperator, on place: Place) async throws -> [String]
    {
      let subject = PassthroughSubject<String, Late>()
      let log = PipelineLog(roundingTo: place.unit)
      log.follow(timed.applied(to: subject, on: place.scheduler))
      for (value, wait) in [("a", 1000), ("b", 200), ("c", 200), ("d", 2600)] {
        try await Task.sleep(for: .milliseconds(wait))
        subject.send(value)
      }
      try await Task.sleep(for: .seconds(5))
      subject.send(completion: .finished)
      try await Task.sleep(for: .seconds(60))
      return log.lines
    }
  }

  /// A scheduler of OpenCombine.
  enum Place: CaseIterable {
    case mainQueue, serialQueue, concurrentQueue, globalQueue
    case mainRunLoop
    case operationQueue, mainOperationQueue

    /// How exact its times are. Operation queues add seconds to dates, which are exact to a tenth of a microsecond.
    var unit: Duration {
      switch self {
      case .operationQueue, .mainOperationQueue: .microseconds(1)
      default: .nanoseconds(1)
      }
    }

    var scheduler: any Scheduler {
      switch self {
      case .mainQueue: DispatchQueue.main.ocombine
      case .serialQueue: DispatchQueue(label: "values").ocombine
      case .concurrentQueue: DispatchQueue(label: "values", attributes: .concurrent).ocombine
      case .globalQueue: DispatchQueue.global().ocombine
      case .mainRunLoop: RunLoop.main.ocombine
      case .operationQueue: OperationQueue().ocombine
      case .mainOperationQueue: OperationQueue.main.ocombine
      }
    }
  }

  /// An operator that takes a scheduler.
  enum TimedOperator: CaseIterable {
    case debounce, delay, throttleLatest, throttleFirst, timeout, failingTimeout, receive, subscribe
    case measureInterval

    func applied<S: Scheduler>(
      to upstream: some Publisher<String, Late>, on scheduler: S
    ) -> AnyPublisher<String, Late> {
      switch self {
      case .debounce:
        upstream.debounce(for: .milliseconds(500), scheduler: scheduler).eraseToAnyPublisher()
      case .delay: upstream.delay(for: .seconds(5), scheduler: scheduler).eraseToAnyPublisher()
      case .throttleLatest:
        upstream.throttle(for: .seconds(1), scheduler: scheduler, latest: true)
          .eraseToAnyPublisher()
      case .throttleFirst:
        upstream.throttle(for: .seconds(1), scheduler: scheduler, latest: false)
          .eraseToAnyPublisher()
      case .timeout: upstream.timeout(.seconds(3), scheduler: scheduler).eraseToAnyPublisher()
      case .failingTimeout:
        upstream.timeout(.seconds(3), scheduler: scheduler, customError: Late.init)
          .eraseToAnyPublisher()
      case .receive: upstream.receive(on: scheduler).eraseToAnyPublisher()
      case .subscribe: upstream.subscribe(on: scheduler).eraseToAnyPublisher()
      case .measureInterval:
        upstream.measureInterval(using: scheduler)
          .map { "\(milliseconds($0) ?? -1) ms" }.eraseToAnyPublisher()
      }
    }

    /// The length of an interval between the test's values, if it is one to the microsecond.
    private func milliseconds<Stride>(_ interval: Stride) -> Int?
    where Stride: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
      [200, 1000, 2600].first { abs(interval - .milliseconds($0)) < .microseconds(1) }
    }

    /// What comes of the test's values.
    var lines: [String] {
      switch self {
      case .debounce: ["c at 1.9 seconds", "d at 4.5 seconds", "end at 9.0 seconds"]
      case .delay:
        [
          "a at 6.0 seconds", "b at 6.2 seconds", "c at 6.4 seconds", "d at 9.0 seconds",
          "end at 14.0 seconds",
        ]
      case .throttleLatest:
        ["a at 1.0 seconds", "c at 2.0 seconds", "d at 4.0 seconds", "end at 9.0 seconds"]
      case .throttleFirst:
        ["a at 1.0 seconds", "b at 2.0 seconds", "d at 4.0 seconds", "end at 9.0 seconds"]
      case .timeout: valuesAsSent + ["end at 7.0 seconds"]
      case .failingTimeout: valuesAsSent + ["Late() at 7.0 seconds"]
      case .receive, .subscribe: valuesAsSent + ["end at 9.0 seconds"]
      case .measureInterval:
        [
          "1000 ms at 1.0 seconds", "200 ms at 1.2 seconds", "200 ms at 1.4 seconds",
          "2600 ms at 4.0 seconds", "end at 9.0 seconds",
        ]
      }
    }

    private var valuesAsSent: [String] {
      ["a at 1.0 seconds", "b at 1.2 seconds", "c at 1.4 seconds", "d at 4.0 seconds"]
    }
  }

  /// The error of a timeout.
  struct Late: Error {}
#endif
