// virtual time: everything here runs in simulations
import SleeplessSimulation

/// Programs with isolated state.
extension Program {
  static let actors = [
    Program(
      "an actor that is entered again while it waits",
      runLog: ["1 sees 100@0", "2 sees 100@0", "1 leaves 40@10", "2 leaves -20@10", "left -20@10"]
    ) { runLog in
      let account = Account(runLog)
      try await withThrowingTaskGroup { group in
        for name in ["1", "2"] { group.addTask { try await account.withdraw(60, name) } }
        try await group.waitForAll()
      }
      runLog.note("left \(await account.balance)")
    },
    Program(
      "two actors that call each other",
      runLog: ["ping 3@0", "ping 3@0", "pong 2@0", "pong 2@0", "ping 1@0", "ping 1@0"]
    ) { runLog in
      let pong = Player("pong", nil, runLog)
      let ping = Player("ping", pong, runLog)
      await pong.meet(ping)
      await withTaskGroup { group in
        for _ in 1...2 { group.addTask { await ping.play(3) } }
      }
    },
    Program(
      "a main actor class",
      runLog: ["loading 1@0", "loading 2@0", "shown 2@10", "shown 1@20", "title 1@20"]
    ) { runLog in
      let screen = await Screen(runLog)
      async let slow: Void = screen.load("1", .milliseconds(20))
      async let fast: Void = screen.load("2", .milliseconds(10))
      _ = try await (slow, fast)
      runLog.note("title \(await screen.title)")
    },
    Program(
      "another global actor",
      runLog: ["put a@0", "put b@0", "kept a@1", "kept b@1", "ab@1"]
    ) { runLog in
      let shelf = await Shelf(runLog)
      await withTaskGroup { group in
        for item in ["a", "b"] { group.addTask { await shelf.put(item) } }
      }
      runLog.note(await shelf.items)
    },
    Program(
      "a switch from actor to actor to the main actor",
      runLog: ["screen b@0", "shelf@0", "screen a@0", "end@0"]
    ) { runLog in
      let shelf = await Shelf(runLog)
      let screen = await Screen(runLog)
      let task = Task { @MainActor in
        runLog.note("screen b")
        screen.title = "b"
      }
      await Task { @ShelfActor in
        runLog.note("shelf")
        await screen.show("a")
        _ = shelf
      }.value
      await task.value
      runLog.note("end")
    },
  ]

  private actor Account {
    private(set) var balance = 100
    private let runLog: RunLog

    init(_ runLog: RunLog) { self.runLog = runLog }

    /// A common mistake: a check before an `await`, and a change after it.
    func withdraw(_ amount: Int, _ name: String) async throws {
      runLog.note("\(name) sees \(balance)")
      guard balance >= amount else { return }
      try await Task.sleep(for: .milliseconds(10))
      balance -= amount
      runLog.note("\(name) leaves \(balance)")
    }
  }

  private actor Player {
    private let name: String
    private var other: Player?
    private let runLog: RunLog

    init(_ name: String, _ other: Player?, _ runLog: RunLog) {
      (self.name, self.other, self.runLog) = (name, other, runLog)
    }

    func meet(_ other: Player) { self.other = other }

    func play(_ balls: Int) async {
      runLog.note("\(name) \(balls)")
      if balls > 1 { await other?.play(balls - 1) }
    }
  }

  @MainActor private final class Screen {
    var title = ""
    private let runLog: RunLog

    init(_ runLog: RunLog) { self.runLog = runLog }

    func load(_ text: String, _ delay: Duration) async throws {
      runLog.note("loading \(text)")
      try await Task.sleep(for: delay)
      MainActor.assertIsolated()
      title = text
      runLog.note("shown \(text)")
    }

    func show(_ text: String) {
      MainActor.assertIsolated()
      runLog.note("screen \(text)")
      title = text
    }
  }

  @globalActor private actor ShelfActor { static let shared = ShelfActor() }

  @ShelfActor private final class Shelf {
    private(set) var items = ""
    private let runLog: RunLog

    init(_ runLog: RunLog) { self.runLog = runLog }

    func put(_ item: String) async {
      ShelfActor.shared.assertIsolated()
      runLog.note("put \(item)")
      try? await Task.sleep(for: .milliseconds(1))
      ShelfActor.shared.assertIsolated()
      items += item
      runLog.note("kept \(item)")
    }
  }
}
