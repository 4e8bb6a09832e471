import ExampleApp
import SleeplessTesting

struct SuggestionServiceMock: SuggestionService {
  let fetch = Stub<String, [String]>("suggestions(for:)")

  func suggestions(for text: String) async throws -> [String] { try await fetch(text) }
}
