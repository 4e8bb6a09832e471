// virtual time: everything here runs in simulations
import SleeplessSimulation

/// What isolates state.
extension Program {
  static let actors = [
    Program(
      "an actor that is entered again while it waits",
      diary: ["1 sees 100@0", "2 sees 100@0", "1 leaves 40@10", "2 leaves -20@10", "left -20@10"]
    ) { diary in
      let account = Account(diary)
      try await withThrowingTaskGroup { group in
        for name in ["1", "2"] { group.addTask { try await account.withdraw(60, name) } }
        try await group.waitForAll()
      }
      diary.note("left \(await account.balance)")
    },
    Program(
      "two actors that call each other",
      diary: ["ping 3@0", "ping 3@0", "pong 2@0", "pong 2@0", "ping 1@0", "ping 1@0"]
    ) { diary in
      let pong = Player("pong", nil, diary)
      let ping = Player("ping", pong, diary)
      await pong.meet(ping)
      await withTaskGroup { group in
        for _ in 1...2 { group.addTask { await ping.play(3) } }
      }
    },
    Program(
      "a main actor class",
      diary: ["loading 1@0", "loading 2@0", "shown 2@10", "shown 1@20", "title 1@20"]
    ) { diary in
      let screen = await Screen(diary)
      async let slow: Void = screen.load("1", .milliseconds(20))
      async let fast: Void = screen.load("2", .milliseconds(10))
      _ = try await (slow, fast)
      diary.note("title \(await screen.title)")
    },
    Program(
      "another global actor",
      diary: ["put a@0", "put b@0", "kept a@1", "kept b@1", "ab@1"]
    ) { diary in
      let shelf = await Shelf(diary)
      await withTaskGroup { group in
        for item in ["a", "b"] { group.addTask { await shelf.put(item) } }
      }
      diary.note(await shelf.items)
    },
    Program(
      "a switch from actor to actor to the main actor",
      diary: ["screen b@0", "shelf@0", "screen a@0", "end@0"]
    ) { diary in
      let shelf = await Shelf(diary)
      let screen = await Screen(diary)
      let task = Task { @MainActor in
        diary.note("screen b")
        screen.title = "b"
      }
      await Task { @ShelfActor in
        diary.note("shelf")
        await screen.show("a")
        _ = shelf
      }.value
      await task.value
      diary.note("end")
    },
  ]

  private actor Account {
    private(set) var balance = 100
    private let diary: Diary

    init(_ diary: Diary) { self.diary = diary }

    /// The mistake that everybody makes once.
    func withdraw(_ amount: Int, _ name: String) async throws {
      diary.note("\(name) sees \(balance)")
      guard balance >= amount else { return }
      try await Task.sleep(for: .milliseconds(10))
      balance -= amount
      diary.note("\(name) leaves \(balance)")
    }
  }

  private actor Player {
    private let name: String
    private var other: Player?
    private let diary: Diary

    init(_ name: String, _ other: Player?, _ diary: Diary) {
      (self.name, self.other, self.diary) = (name, other, diary)
    }

    func meet(_ other: Player) { self.other = other }

    func play(_ balls: Int) async {
      diary.note("\(name) \(balls)")
      if balls > 1 { await other?.play(balls - 1) }
    }
  }

  @MainActor private final class Screen {
    var title = ""
    private let diary: Diary

    init(_ diary: Diary) { self.diary = diary }

    func load(_ text: String, _ delay: Duration) async throws {
      diary.note("loading \(text)")
      try await Task.sleep(for: delay)
      MainActor.assertIsolated()
      title = text
      diary.note("shown \(text)")
    }

    func show(_ text: String) {
      MainActor.assertIsolated()
      diary.note("screen \(text)")
      title = text
    }
  }

  @globalActor private actor ShelfActor { static let shared = ShelfActor() }

  @ShelfActor private final class Shelf {
    private(set) var items = ""
    private let diary: Diary

    init(_ diary: Diary) { self.diary = diary }

    func put(_ item: String) async {
      ShelfActor.shared.assertIsolated()
      diary.note("put \(item)")
      try? await Task.sleep(for: .milliseconds(1))
      ShelfActor.shared.assertIsolated()
      items += item
      diary.note("kept \(item)")
    }
  }
}
