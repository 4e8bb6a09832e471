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
  /// Simulations that run at the same time, with pipelines on the same queues and different times (S4).
  @Suite(.timeLimit(.minutes(10))) struct CombineSideBySideTests {
    private static let serial = DispatchQueue(label: "shared")
    private static let concurrent = DispatchQueue(label: "shared", attributes: .concurrent)

    // In each round the simulations meet at other points.
    @Test(arguments: 1...10) func `S4 pipelines on shared queues keep their times`(round: Int)
      async throws
    {
      try await withThrowingTaskGroup { group in
        for second in [Duration.milliseconds(10), .seconds(1), .seconds(7), .seconds(60)] {
          group.addTask {
            let lines = try await Self.lines(second)
            #expect(lines == Self.expectedLines(second))
          }
        }
        try await group.waitForAll()
      }
    }

    /// What pipelines note in a simulation whose times are this many times longer than a second.
    private static func lines(_ second: Duration) async throws -> [String] {
      let log = PipelineLog(roundingTo: .microseconds(1))
      try await simulate {
        let nanoseconds = Int(second / .nanoseconds(1))
        let main = DispatchQueue.main.ocombine
        log.follow(
          Timer.publish(every: second / .seconds(1), on: .main, in: .common).autoconnect()
            .scan(0) { count, _ in count + 1 }
            .delay(for: .nanoseconds(nanoseconds / 2), scheduler: serial.ocombine)
            .throttle(for: .nanoseconds(nanoseconds * 9 / 4), scheduler: main, latest: false),
          as: "tick")
        let subject = PassthroughSubject<String, Late>()
        log.follow(
          subject.debounce(for: .nanoseconds(nanoseconds), scheduler: concurrent.ocombine)
            .timeout(.nanoseconds(nanoseconds * 3), scheduler: RunLoop.main.ocombine))
        log.follow(
          subject.delay(
            for: .nanoseconds(nanoseconds * 17 / 4), scheduler: OperationQueue().ocombine),
          as: "operation")
        try await Task.sleep(for: second * 0.25)
        subject.send("a")
        try await Task.sleep(for: second * 0.5)
        subject.send("b")
        try await Task.sleep(for: second * 7)
        log.cancel()
      }
      return log.lines
    }

    private static func expectedLines(_ second: Duration) -> [String] {
      [
        ("tick 1", 1.5), ("b", 1.75), ("tick 2", 3.75), ("operation a", 4.5), ("end", 4.75),
        ("operation b", 5), ("tick 4", 6),
      ]
      .map { "\($0) at \(second * $1)" }
    }
  }
#endif
