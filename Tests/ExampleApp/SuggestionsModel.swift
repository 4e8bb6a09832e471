package protocol SuggestionService: Sendable {
  func suggestions(for text: String) async throws -> [String]
}

/// Asks the service at every key. Answers may come in any order; it shows those for the latest
/// text.
@MainActor
package final class SuggestionsModel {
  package private(set) var suggestions: [String] = []

  private let service: any SuggestionService
  private var text = ""

  package init(service: any SuggestionService) { self.service = service }

  package func type(_ text: String) {
    self.text = text
    Task {
      let found = try? await service.suggestions(for: text)
      if text == self.text { suggestions = found ?? [] }
    }
  }
}
