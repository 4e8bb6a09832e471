import ExampleApp

/// Records the queries, and answers each one when the test tells it to.
@MainActor
final class SearchServiceMock: SearchService {
  private(set) var queries: [String] = []
  private var completions: [String: @Sendable ([String]) -> Void] = [:]

  func search(for query: String, completion: @escaping @Sendable ([String]) -> Void) {
    queries.append(query)
    completions[query] = completion
  }

  func answer(_ query: String, with results: [String]) {
    completions[query]?(results)
  }
}
