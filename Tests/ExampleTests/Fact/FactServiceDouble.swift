import ExampleApp
import SleeplessTesting

/// The same with a double: what it answers is said in the test, and its calls can be looked at.
struct FactServiceDouble: FactService {
  let fetch = Stub<Void, Fact>("fetchFact")

  func fetchFact() async throws -> Fact { try await fetch() }
}
