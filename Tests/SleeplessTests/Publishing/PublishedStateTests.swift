import Sleepless
import Testing
import TestSupport

@Suite struct PublishedStateTests {
  // Unchecked because the compiler stores the wrappers in variables; no code assigns to them.
  private final class Model: @unchecked Sendable {
    @PublishedState var count = 0
    @PublishedState var items: [String] = []
  }

  @MainActor private final class MainModel {
    @PublishedState private(set) var state = "initial"

    var seen: [String] = []
    private var tokens: Set<SubscriptionToken> = []

    init() { $state.sink { [weak self] in self?.seen.append($0) }.store(in: &tokens) }

    func load() {
      state = "loading"
      state += "!"
    }
  }

  private let model = Model()
  private let log = Log<String>()

  @Test func `P5 the publisher gives the current value, then each new one`() {
    model.count = 1
    let token = model.$count.sink(into: log, as: "")
    model.count = 2
    model.count += 1
    #expect(log.values == ["1", "2", "3"])
    token.cancel()
  }

  @Test func `a subscriber gets the new value while the property still has the old one`() {
    let seen = Log<[Int]>()
    let token = model.$count.sink { [model] in seen.append([$0, model.count]) }
    model.count = 1
    model.count = 2
    #expect(seen.values == [[0, 0], [1, 0], [2, 1]])
    #expect(model.count == 2)
    token.cancel()
  }

  @Test func `P5 a write in a callback is visible at once and delivered afterwards`() {
    let seen = Log<[Int]>()
    let first = model.$count.sink { [model] value in
      if value == 1 {
        model.count = 2
        seen.append([value, model.count])
      }
    }
    let second = model.$count.sink(into: log, as: "")
    model.count = 1
    #expect(seen.values == [[1, 2]])
    #expect(log.values == ["0", "1", "2"])
    #expect(model.count == 2)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `P5 a subscriber from within a callback gets the value in flight once`() {
    let late = Log<SubscriptionToken>()
    let token = model.$count.sink { [model, log] value in
      if value == 1 { late.append(model.$count.sink(into: log, as: "late")) }
    }
    model.count = 1
    model.count = 2
    #expect(log.values == ["late1", "late2"])
    withExtendedLifetime(token) {}
  }

  @Test func `a value changed in place is published`() {
    let token = model.$items.sink(into: log, as: "")
    model.items.append("a")
    #expect(log.values == ["[]", "[\"a\"]"])
    token.cancel()
  }

  @Test func `each property publishes its own values`() {
    let token = model.$count.sink(into: log, as: "")
    model.items = ["a"]
    #expect(log.values == ["0"])
    token.cancel()
  }

  @Test func `a class's initialiser may initialise the property`() {
    final class Late {
      @PublishedState var name: String
      init(name: String) { _name = PublishedState(initialValue: name) }
    }
    let token = Late(name: "Ada").$name.sink(into: log, as: "")
    #expect(log.values == ["Ada"])
    token.cancel()
  }

  @Test func `an actor's property publishes its values`() async {
    actor Counter {
      @PublishedState private(set) var count = 0
      func increment() { count += 1 }
    }
    let counter = Counter()
    let token = await counter.$count.sink(into: log, as: "")
    await counter.increment()
    #expect(log.values == ["0", "1"])
    token.cancel()
  }

  @MainActor
  @Test func `a class on the main actor can store a sink of its own state`() {
    let model = MainModel()
    model.load()
    #expect(model.seen == ["initial", "loading", "loading!"])
    #expect(model.state == "loading!")
  }

  @MainActor private final class Filtered {
    @PublishedState var text = ""
    private let shortest = 3
    private(set) var texts: [String] = []
    private var tokens: Set<SubscriptionToken> = []

    init() {
      $text.filter { [weak self] text in
        MainActor.assumeIsolated { text.count >= (self?.shortest ?? 0) }
      }
      .sink { [weak self] in self?.texts.append($0) }
      .store(in: &tokens)
    }
  }

  @MainActor
  @Test func `an operator's closure may use a class of the main actor by assumeIsolated`() {
    let model = Filtered()
    for text in ["A", "Ada", "Al"] { model.text = text }
    #expect(model.texts == ["Ada"])
  }

  @Test func `P5 with several writers the property ends as the last value of every subscriber`()
    async
  {
    let lasts = [Locked(0), Locked(0)]
    let tokens = lasts.map { last in
      model.$count.sink { value in last.withLock { $0 = value } }
    }
    await withTaskGroup { group in
      for writer in 1...4 {
        group.addTask { [model] in
          await onThread {
            for number in 0..<2_000 { model.count = writer * 10_000 + number }
          }
        }
      }
    }
    #expect(lasts.map { $0.withLock { $0 } } == [model.count, model.count])
    #expect(model.count % 10_000 == 1_999)
    withExtendedLifetime(tokens) {}
  }
}
