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
  /// OpenCombine's schedulers on queues and run loops, in simulations, with nothing injected.
  @Suite struct CombineSimulationTests {
    private final class Received: Sendable {
      private let lines = Locked<[String]>([])

      func note(_ value: some Any) {
        lines.withLock { $0.append("\(value) at \(Simulation.current!.now)") }
      }

      var values: [String] { lines.withLock { $0 } }
    }

    @MainActor @Test(.simulated) func `debounce on the main queue takes virtual time`() async throws
    {
      let (subject, received) = (PassthroughSubject<String, Never>(), Received())
      let subscription =
        subject.debounce(for: .milliseconds(300), scheduler: DispatchQueue.main.ocombine)
        .sink { received.note($0) }
      subject.send("s")
      try await Task.sleep(for: .milliseconds(200))
      subject.send("sw")
      try await Task.sleep(for: .seconds(86_400))
      #expect(received.values == ["sw at 0.5 seconds"])
      subscription.cancel()
    }

    @MainActor @Test(.simulated) func `delay and receive on a queue`() async throws {
      let received = Received()
      let queue = DispatchQueue(label: "values")
      let subscription = [1, 2].publisher
        .delay(for: .seconds(5), scheduler: queue.ocombine)
        .receive(on: DispatchQueue.main.ocombine)
        .sink { received.note($0) }
      try await Task.sleep(for: .seconds(10))
      #expect(received.values == ["1 at 5.0 seconds", "2 at 5.0 seconds"])
      subscription.cancel()
    }

    @MainActor @Test(.simulated) func `delay on the main run loop`() async throws {
      let received = Received()
      let subscription = [1, 2].publisher
        .delay(for: .seconds(5), scheduler: RunLoop.main.ocombine)
        .sink { received.note($0) }
      try await Task.sleep(for: .seconds(10))
      #expect(received.values == ["1 at 5.0 seconds", "2 at 5.0 seconds"])
      subscription.cancel()
    }

    @MainActor @Test(.simulated) func `a timer's publisher`() async throws {
      let received = Received()
      let subscription = Timer.OCombine.TimerPublisher(interval: 10, runLoop: .main, mode: .common)
        .autoconnect()
        .map { _ in "tick" }
        .sink { received.note($0) }
      try await Task.sleep(for: .seconds(25))
      #expect(received.values == ["tick at 10.0 seconds", "tick at 20.0 seconds"])
      subscription.cancel()
      try await Task.sleep(for: .seconds(100))
      #expect(received.values.count == 2)
    }
  }
#endif
