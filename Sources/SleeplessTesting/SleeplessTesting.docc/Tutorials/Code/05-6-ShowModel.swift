import Sleepless

@MainActor
final class ShowModel {
  enum State: Equatable { case initial, loading, loaded(String) }

  @PublishedState private(set) var state = State.initial
  private let title: () async -> String

  init(title: @escaping () async -> String) { self.title = title }

  func load() async {
    state = .loading
    state = .loaded(await title())
  }

  func reload() async {
    await load()
  }
}
