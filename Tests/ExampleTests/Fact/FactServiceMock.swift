import ExampleApp
import SleeplessTesting

/// Answers at once, after some virtual time, or never.
struct FactServiceMock: FactService {
  enum Answer {
    case atOnce(Result<Fact, FactError>)
    case after(Duration, TestClock, Result<Fact, FactError>)
    case never
  }

  let answer: Answer

  init(_ answer: Answer) { self.answer = answer }

  func fetchFact() async throws -> Fact {
    switch answer {
    case .atOnce(let result):
      return try result.get()
    case .after(let delay, let clock, let result):
      try await clock.sleep(for: delay)
      return try result.get()
    case .never:
      // Ends only when the task is cancelled.
      for await _ in AsyncStream<Never>.makeStream().stream {}
      throw CancellationError()
    }
  }
}

extension Fact {
  static let cats = Fact("Cats sleep for most of their lives.")
}
