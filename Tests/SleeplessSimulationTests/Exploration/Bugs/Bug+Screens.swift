// virtual time: the tests run these in simulations
/// Screens whose user acts while they load.
extension Bug {
  static let screens = [
    Bug("stale results", "The answer to an older search comes last and stays on the screen.") {
      try await search { $0.type($1) }
    } fixed: {
      try await search { $0.typeLatest($1) }
    },
    Bug("wrong picture", "A reused cell shows the picture that it asked for before.") {
      try await reuse { $0.show($1) }
    } fixed: {
      try await reuse { $0.showCancellably($1) }
    },
    Bug("double submit", "A second tap comes while the form is being checked.") {
      try await tapTwice { await $0.submit() }
    } fixed: {
      try await tapTwice { await $0.submitOnce() }
    },
    Bug("page twice", "Scrolling and pulling down load the same page.") {
      try await scroll { await $0.loadMore() }
    } fixed: {
      try await scroll { await $0.loadMoreOnce() }
    },
  ]

  @MainActor private final class SearchScreen {
    private(set) var results: [String] = []
    private var query = ""
    private var searches: [Task<Void, Never>] = []
    private let index = Box(["a": ["apple"], "ab": ["abacus"]])

    func type(_ query: String) {
      searches.append(
        Task(name: "search \(query)") { results = await index.load()[query]! })
    }

    func typeLatest(_ query: String) {
      self.query = query
      searches.append(
        Task(name: "search \(query)") {
          let results = await index.load()[query]!
          if query == self.query { self.results = results }
        })
    }

    func finish() async {
      for search in searches { await search.value }
    }
  }

  private static func search(
    _ type: @escaping @MainActor @Sendable (SearchScreen, String) -> Void
  ) async throws {
    let screen = SearchScreen()
    await type(screen, "a")
    await type(screen, "ab")
    await screen.finish()
    let results = await screen.results
    try check(results == ["abacus"], "\(results) on the screen")
  }

  @MainActor private final class PictureCell {
    private(set) var picture = "none"
    private var loading: Task<Void, Never>?
    private let server = Box("picture of")

    func show(_ name: String) {
      loading?.cancel()
      loading = Task(name: "load \(name)") { picture = "\(await server.load()) \(name)" }
    }

    func showCancellably(_ name: String) {
      loading?.cancel()
      loading = Task(name: "load \(name)") {
        let loaded = await server.load()
        if !Task.isCancelled { picture = "\(loaded) \(name)" }
      }
    }
  }

  private static func reuse(
    _ show: @escaping @MainActor @Sendable (PictureCell, String) -> Void
  ) async throws {
    let cell = PictureCell()
    await show(cell, "cat")
    await show(cell, "dog")
    try await Task.sleep(for: .milliseconds(100))
    let picture = await cell.picture
    try check(picture == "picture of dog", "the cell shows the \(picture)")
  }

  @MainActor private final class Form {
    let orders = Box(0)
    private var isSending = false
    private let rules = Box(true)

    func submit() async {
      guard !isSending, await rules.value else { return }
      isSending = true
      await orders.change { $0 += 1 }
    }

    func submitOnce() async {
      guard !isSending else { return }
      isSending = true
      guard await rules.value else {
        isSending = false
        return
      }
      await orders.change { $0 += 1 }
    }
  }

  private static func tapTwice(
    _ submit: @escaping @Sendable (Form) async -> Void
  ) async throws {
    let form = Form()
    let sound = Box("off")
    try await both {
      await submit(form)
    } _: {
      await sound.set("click")
      if await sound.value == "click" { await sound.set("off") }
      await submit(form)
    }
    let orders = await form.orders.value
    try check(orders == 1, "\(orders) orders")
  }

  @MainActor private final class Feed {
    private(set) var items: [String] = []
    private var page = 0
    private var loading: Task<Void, Never>?
    private let server = Box([["a", "b"], ["c"], ["d"]])

    func loadMore() async {
      let next = page
      items += await server.value[next]
      page = next + 1
    }

    func loadMoreOnce() async {
      let previous = loading
      let task = Task {
        await previous?.value
        await loadMore()
      }
      loading = task
      await task.value
    }
  }

  private static func scroll(_ load: @escaping @Sendable (Feed) async -> Void) async throws {
    let feed = Feed()
    let gesture = Box("none")
    try await both {
      await load(feed)
    } _: {
      await gesture.set("pull")
      if await gesture.value == "pull" { await load(feed) }
    }
    let items = await feed.items
    try check(items == ["a", "b", "c"], "\(items) on the screen")
  }
}
