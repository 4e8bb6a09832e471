protocol SearchService: Sendable {
  func shows(named text: String) async throws -> [String]
}

/// Searches each time the text changes.
@MainActor
final class SearchModel {
  private(set) var shows: [String] = []
  private let service: any SearchService
  private var text = ""

  init(service: any SearchService) { self.service = service }

  func type(_ text: String) {
    self.text = text
    Task {
      let found = try? await service.shows(named: text)
      guard text == self.text else { return }
      shows = found ?? []
    }
  }
}
