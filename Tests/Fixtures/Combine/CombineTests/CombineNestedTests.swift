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
  /// Pipelines within pipelines, and pipelines with tasks, in simulations.
  @Suite struct CombineNestedTests {
    @Test(.simulated) func `a sink subscribes to another pipeline, whose sink does so again`() async
    {
      let log = PipelineLog()
      let queue = DispatchQueue(label: "values")
      let innermost: @Sendable () -> Void = {
        log.follow(Just(3).delay(for: .seconds(3), scheduler: DispatchQueue.main.ocombine))
      }
      let inner: @Sendable () -> Void = {
        let delayed = Just(2).delay(for: .seconds(2), scheduler: RunLoop.main.ocombine)
        log.follow(delayed.handleEvents(receiveOutput: { _ in innermost() }))
      }
      let outer = Just(1).delay(for: .seconds(1), scheduler: queue.ocombine).sink { value in
        log.note(value)
        inner()
      }
      await settle()
      #expect(
        log.lines == [
          "1 at 1.0 seconds", "2 at 3.0 seconds", "end at 3.0 seconds", "3 at 6.0 seconds",
          "end at 6.0 seconds",
        ])
      outer.cancel()
    }

    @Test(.simulated) func `flatMap merges pipelines by their times`() async {
      let log = PipelineLog()
      log.follow(
        [3, 1, 2].publisher.flatMap { number in
          Just(number)
            .delay(for: .seconds(number), scheduler: DispatchQueue(label: "\(number)").ocombine)
        })
      await settle()
      #expect(
        log.lines == [
          "1 at 1.0 seconds", "2 at 2.0 seconds", "3 at 3.0 seconds", "end at 3.0 seconds",
        ])
    }

    @MainActor @Test(.simulated) func `a search asks tasks and shows the latest answer`()
      async throws
    {
      let (log, queries) = (PipelineLog(), PassthroughSubject<String, Never>())
      let answers =
        queries
        .debounce(for: .milliseconds(300), scheduler: RunLoop.main.ocombine)
        .removeDuplicates()
        .map { query in
          log.note("asks for \(query)")
          return Self.answer(to: query)
        }
        .switchToLatest()
        .receive(on: DispatchQueue.main.ocombine)
      log.follow(answers)
      for (query, wait) in [
        ("s", 200), ("sw", 800), ("swift", 200), ("swif", 100), ("swift", 5000),
      ] {
        queries.send(query)
        try await Task.sleep(for: .milliseconds(wait))
      }
      #expect(
        log.lines == [
          "asks for sw at 0.5 seconds", "asks for swift at 1.6 seconds", "swift! at 3.6 seconds",
        ])
    }

    /// An answer that takes two seconds.
    private static func answer(to query: String) -> Future<String, Never> {
      Future { promise in
        nonisolated(unsafe) let promise = promise
        Task {
          try? await Task.sleep(for: .seconds(2))
          promise(.success("\(query)!"))
        }
      }
    }

    @Test(.simulated) func `a request is tried again after a delay`() async {
      let log = PipelineLog()
      let queue = DispatchQueue(label: "requests")
      let request = Deferred {
        log.note("attempt")
        return Fail<Int, Late>(error: Late())
      }
      log.follow(request.delay(for: .seconds(2), scheduler: queue.ocombine).retry(2))
      await settle()
      #expect(
        log.lines == [
          "attempt at 0.0 seconds", "attempt at 2.0 seconds", "attempt at 4.0 seconds",
          "Late() at 6.0 seconds",
        ])
    }

    @Test(.simulated) func `a task iterates over the values of a pipeline`() async throws {
      let log = PipelineLog()
      let subject = PassthroughSubject<Int, Never>()
      let debounced = subject.debounce(
        for: .milliseconds(300), scheduler: DispatchQueue.global().ocombine)
      nonisolated(unsafe) let values = debounced.values
      let iteration = Task {
        for await value in values { log.note(value) }
        log.note("end")
      }
      try await Task.sleep(for: .seconds(1))
      for (value, wait) in [(1, 400), (2, 200), (3, 1400)] {
        subject.send(value)
        try await Task.sleep(for: .milliseconds(wait))
      }
      subject.send(completion: .finished)
      await iteration.value
      #expect(log.lines == ["1 at 1.3 seconds", "3 at 1.9 seconds", "end at 3.0 seconds"])
    }
  }
#endif
