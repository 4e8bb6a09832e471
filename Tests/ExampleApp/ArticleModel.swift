/// A client as a structure of closures: a test supplies only the closures that it needs.
package struct ArticleClient: Sendable {
  package var text: @Sendable (_ id: Int) async throws -> String
  package var markAsRead: @Sendable (_ id: Int) -> Void
  package var isSaved: @Sendable (_ id: Int) -> Bool

  package init(
    text: @escaping @Sendable (_ id: Int) async throws -> String,
    markAsRead: @escaping @Sendable (_ id: Int) -> Void,
    isSaved: @escaping @Sendable (_ id: Int) -> Bool
  ) {
    self.text = text
    self.markAsRead = markAsRead
    self.isSaved = isSaved
  }
}

/// Loads while its screen is visible, and stops when the screen disappears.
@MainActor
package final class ArticleModel {
  package enum State: Equatable, Sendable {
    case hidden
    case loading
    case shown(String, isSaved: Bool)
    case failed
  }

  package private(set) var state = State.hidden

  private let id: Int
  private let client: ArticleClient
  private var loading: Task<Void, Never>?

  package init(id: Int, client: ArticleClient) {
    self.id = id
    self.client = client
  }

  package func appear() {
    state = .loading
    loading = Task {
      do {
        let text = try await client.text(id)
        state = .shown(text, isSaved: client.isSaved(id))
        client.markAsRead(id)
      } catch is CancellationError {
        state = .hidden
      } catch {
        state = .failed
      }
    }
  }

  package func disappear() {
    loading?.cancel()
    loading = nil
  }
}
