import ExampleApp
import SleeplessTesting

/// A double of the service: the test sets its answers and reads its calls.
struct FactServiceDouble: FactService {
  let fetch = Stub<Void, Fact>("fetchFact")

  func fetchFact() async throws -> Fact { try await fetch() }
}
