// virtual time: the tests run these in simulations
/// Values that are fetched once and shared.
extension Bug {
  static let caches = [
    Bug(
      "cache stampede",
      "A second reader finds no image, because the first download is not stored yet."
    ) {
      let cache = ImageCache()
      try await readTwice { await cache.image("a") }
      let count = await cache.downloads.value
      try check(count == 1, "\(count) downloads")
    } fixed: {
      let cache = ImageCache()
      try await readTwice { await cache.sharedImage("a") }
      let count = await cache.downloads.value
      try check(count == 1, "\(count) downloads")
    },
    Bug("double refresh", "Two requests refresh a token that can be refreshed once.") {
      let session = Session()
      try await both {
        _ = try await session.token()
      } _: {
        await session.log.change { $0.append("second request") }
        await session.log.change { $0.append("its body") }
        _ = try await session.token()
      }
    } fixed: {
      let session = Session()
      try await both {
        _ = try await session.sharedToken()
      } _: {
        await session.log.change { $0.append("second request") }
        await session.log.change { $0.append("its body") }
        _ = try await session.sharedToken()
      }
    },
    Bug("logged in again", "A refresh that ends after the logout brings the session back.") {
      let login = Login()
      try await both {
        await login.refresh()
      } _: {
        await login.logOut()
      }
      let token = await login.token
      try check(token == nil, "logged out with the token \(token!)")
    } fixed: {
      let login = Login()
      try await both {
        await login.refreshIfLoggedIn()
      } _: {
        await login.logOut()
      }
      let token = await login.token
      try check(token == nil, "logged out with the token \(token!)")
    },
    Bug("flush loses", "A message that is logged while a batch is sent is deleted with the batch.")
    {
      let log = EventLog()
      try await flush(log) { await log.flush() }
    } fixed: {
      let log = EventLog()
      try await flush(log) { await log.flushTaken() }
    },
  ]

  private actor ImageCache {
    let downloads = Box(0)
    private var images: [String: String] = [:]
    private var tasks: [String: Task<String, Never>] = [:]

    func image(_ name: String) async -> String {
      if let image = images[name] { return image }
      let image = await download(name)
      images[name] = image
      return image
    }

    func sharedImage(_ name: String) async -> String {
      if let image = images[name] { return image }
      let task = tasks[name] ?? Task { await download(name) }
      tasks[name] = task
      let image = await task.value
      images[name] = image
      return image
    }

    private nonisolated func download(_ name: String) async -> String {
      await downloads.change { $0 += 1 }
      try? await Task.sleep(for: .milliseconds(20))
      return "image of \(name)"
    }
  }

  /// The screen opens just when the prefetched image arrives.
  private static func readTwice(_ read: @escaping @Sendable () async -> String) async throws {
    try await both {
      _ = await read()
    } _: {
      let scrolling = Box(0)
      await scrolling.change { $0 += 1 }
      await scrolling.change { $0 += 1 }
      try await Task.sleep(for: .milliseconds(20))
      await scrolling.change { $0 += 1 }
      _ = await read()
    }
  }

  private actor Session {
    let log = Box<[String]>([])
    private let server = TokenServer()
    private var current = "expired"
    private var refresh: Task<String, any Error>?

    func token() async throws -> String {
      if current == "expired" { current = try await server.refresh("first") }
      return current
    }

    func sharedToken() async throws -> String {
      if current == "expired" {
        let refresh = refresh ?? Task { try await server.refresh("first") }
        self.refresh = refresh
        current = try await refresh.value
      }
      return current
    }
  }

  private actor TokenServer {
    private var used: Set<String> = []

    func refresh(_ token: String) throws -> String {
      try check(used.insert(token).inserted, "401: the refresh token has been used")
      return "fresh"
    }
  }

  private actor Login {
    private(set) var token: String? = "old"
    private let server = Box("new")
    private let history = Box<[String]>([])

    func refresh() async {
      guard token != nil else { return }
      token = await server.value
    }

    func refreshIfLoggedIn() async {
      guard token != nil else { return }
      let new = await server.value
      if token != nil { token = new }
    }

    func logOut() async {
      await history.change { $0.append("log out") }
      await server.set("none")
      token = nil
    }
  }

  private actor EventLog {
    let sent = Box<[String]>([])
    private var buffer = ["start"]

    func note(_ event: String) { buffer.append(event) }

    func flush() async {
      let batch = buffer
      await sent.change { $0 += batch }
      buffer = []
    }

    func flushTaken() async {
      let batch = buffer
      buffer = []
      await sent.change { $0 += batch }
    }
  }

  private static func flush(
    _ log: EventLog, _ flush: @escaping @Sendable () async -> Void
  ) async throws {
    let page = Box("home")
    try await both(flush) {
      await page.set("cart")
      let name = await page.value
      await log.note(name)
    }
    await flush()
    let sent = await log.sent.value
    try check(sent.count == 2, "only \(sent) arrived")
  }
}
