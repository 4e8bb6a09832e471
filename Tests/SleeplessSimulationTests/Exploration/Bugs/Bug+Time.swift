// virtual time: the tests run these in simulations
/// Work that is due at the same instant.
extension Bug {
  static let time = [
    Bug(
      "asked too early", "A timer that was cancelled during its last tick does not end its stream.",
      needsBias: true
    ) {
      try await countDown { continuation in
        continuation.yield(0)
        // Cancelled before this line, by the reader of the value just sent.
        guard !Task.isCancelled else { return }
        continuation.finish()
      }
    } fixed: {
      try await countDown { continuation in
        defer { continuation.finish() }
        continuation.yield(0)
      }
    },
    Bug("alert after answer", "The answer and the timeout come at one instant, and both are shown.")
    {
      let request = Request()
      try await both {
        await request.ask()
      } _: {
        await request.giveUp()
      }
      let shown = await request.shown.value
      try check(shown.count == 1, "\(shown) are shown")
    } fixed: {
      let request = Request()
      try await both {
        await request.askOnce()
      } _: {
        await request.giveUpOnce()
      }
      let shown = await request.shown.value
      try check(shown.count == 1, "\(shown) are shown")
    },
    Bug(
      "renewed and gone", "An entry is removed at the end of its old life, just after its renewal."
    ) {
      try await renew { await $0.put() }
    } fixed: {
      try await renew { await $0.putWithDeadline() }
    },
    Bug(
      "debounced twice", "A key is pressed as the pause ends; the search for the old text starts."
    ) {
      try await type { $0.press($1) }
    } fixed: {
      try await type { $0.pressLatest($1) }
    },
    Bug("last heartbeat", "A heartbeat and the check for it come at one instant.") {
      try await watch(.milliseconds(30))
    } fixed: {
      try await watch(.milliseconds(35))
    },
  ]

  /// Reads a timer's ticks to the end of their stream, and cancels the timer at zero.
  private static func countDown(
    last: @escaping @Sendable (AsyncStream<Int>.Continuation) -> Void
  ) async throws {
    let (ticks, continuation) = AsyncStream.makeStream(of: Int.self)
    let timer = Task(name: "timer") {
      continuation.yield(1)
      await Task.yield()
      last(continuation)
    }
    for await tick in ticks where tick == 0 { timer.cancel() }
    // At a deadlock the simulation cancels the reader, which ends the stream for it.
    try check(!Task.isCancelled, "the stream does not end")
  }

  private actor Request {
    let shown = Box<[String]>([])
    private var isDone = false
    private let settings = Box("loud")

    func ask() async {
      try? await Task.sleep(for: .milliseconds(500))
      await show("answer")
    }

    func giveUp() async {
      await settings.set("calm")
      try? await Task.sleep(for: .milliseconds(500))
      await settings.set("polite")
      await settings.set("worried")
      await show("alert")
    }

    private func show(_ text: String) async {
      guard !isDone else { return }
      await shown.change { $0.append(text) }
      isDone = true
    }

    func askOnce() async {
      try? await Task.sleep(for: .milliseconds(500))
      await showOnce("answer")
    }

    func giveUpOnce() async {
      try? await Task.sleep(for: .milliseconds(500))
      await showOnce("alert")
    }

    private func showOnce(_ text: String) async {
      guard !isDone else { return }
      isDone = true
      await shown.change { $0.append(text) }
    }
  }

  private actor Entry {
    private(set) var isThere = false
    private var deadline = ContinuousClock.now
    private let life = Duration.seconds(1)

    func put() {
      isThere = true
      Task(name: "expiry") {
        try await Task.sleep(for: life)
        isThere = false
      }
    }

    func putWithDeadline() {
      isThere = true
      deadline = .now + life
      Task(name: "expiry") {
        try await Task.sleep(for: life)
        if deadline <= .now { isThere = false }
      }
    }
  }

  private static func renew(_ put: @escaping @Sendable (Entry) async -> Void) async throws {
    let (entry, log) = (Entry(), Box("new"))
    await put(entry)
    try await Task.sleep(for: .seconds(1))
    await log.set("renewed")
    await put(entry)
    try await Task.sleep(for: .milliseconds(100))
    try check(await entry.isThere, "the entry is gone right after its renewal")
    try await Task.sleep(for: .seconds(1))
  }

  @MainActor private final class SearchField {
    let searches = Box<[String]>([])
    private var pause: Task<Void, Never>?
    private var text = ""

    func press(_ text: String) {
      self.text = text
      pause?.cancel()
      pause = Task(name: "search \(text)") {
        do { try await Task.sleep(for: .milliseconds(300)) } catch { return }
        await searches.change { [shown = self.text] in $0.append("\(text) in \(shown)") }
      }
    }

    func pressLatest(_ text: String) {
      self.text = text
      pause?.cancel()
      pause = Task(name: "search \(text)") {
        do { try await Task.sleep(for: .milliseconds(300)) } catch { return }
        guard text == self.text else { return }
        await searches.change { [shown = self.text] in $0.append("\(text) in \(shown)") }
      }
    }
  }

  private static func type(
    _ press: @escaping @MainActor @Sendable (SearchField, String) -> Void
  ) async throws {
    let (field, keyboard) = (SearchField(), Box("a"))
    await press(field, "a")
    try await Task.sleep(for: .milliseconds(300))
    await keyboard.set("b")
    await press(field, "ab")
    try await Task.sleep(for: .seconds(1))
    let searches = await field.searches.value
    try check(!searches.contains("a in ab"), "the searches were \(searches)")
  }

  private static func watch(_ patience: Duration) async throws {
    let last = Box(ContinuousClock.now)
    let beating = Task(name: "heart") {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(30))
        await last.set(.now)
      }
    }
    let display = Box("")
    for _ in 0..<3 {
      await display.set("alive")
      try await Task.sleep(for: patience)
      await display.set("?")
      let silence = await ContinuousClock.now - last.value
      try check(silence < patience, "no heartbeat for \(silence)")
    }
    beating.cancel()
    _ = await beating.result
  }
}
