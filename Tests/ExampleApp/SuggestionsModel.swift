package protocol SuggestionService: Sendable {
  func suggestions(for text: String) async throws -> [String]
}

/// Asks at every key, lets the answers come as they like, and shows those for the latest text.
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
