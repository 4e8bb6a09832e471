import Sleepless
import Testing
import TestSupport

@Suite struct ObservableObjectTests {
  private class Settings: ObservableObjectType {
    @PublishedState var volume = 5
    @PublishedState var isMuted = false
    var notPublished = 0
  }

  private final class MoreSettings: Settings {
    @PublishedState var balance = 0
  }

  @Test func `objectWillChange comes before the value, and the value before the change`() {
    let settings = Settings()
    var events: [String] = []
    let first = settings.objectWillChange.sink { events.append("will change \(settings.volume)") }
    let second = settings.$volume.sink { events.append("\($0) instead of \(settings.volume)") }
    settings.volume = 6
    #expect(events == ["5 instead of 5", "will change 5", "6 instead of 5"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `every published property announces its changes, inherited properties too`() {
    let settings = MoreSettings()
    var count = 0
    let token = settings.objectWillChange.sink { count += 1 }
    settings.balance = 1
    settings.volume = 1
    settings.isMuted = true
    settings.notPublished = 1
    #expect(count == 3)
    token.cancel()
  }

  @Test func `an object has one publisher`() {
    let settings = MoreSettings()
    #expect(settings.objectWillChange === settings.objectWillChange)
    #expect(settings.objectWillChange !== MoreSettings().objectWillChange)
  }

  @Test func `an object returns the same publisher to threads that ask at once`() async {
    // Unchecked because the compiler stores the wrappers in variables; no code assigns to them.
    final class Shared: ObservableObjectType, @unchecked Sendable {
      @PublishedState var first = 0
      @PublishedState var second = 0
    }
    let shared = Shared()
    let publishers = await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { await onThread { shared.objectWillChange } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(publishers.allSatisfy { $0 === publishers[0] })
  }

  @Test func `P6 an object is released although it was observed`() {
    var settings: Settings? = Settings()
    weak let weakSettings = settings
    let token = settings?.objectWillChange.sink {}
    settings = nil
    #expect(weakSettings == nil)
    withExtendedLifetime(token) {}
  }

  @Test func `a class may declare its own objectWillChange and send it itself`() {
    final class Own: ObservableObjectType {
      let objectWillChange = EventSubject<String, Never>()
      @PublishedState var count = 0
    }
    let own = Own()
    var sent: [String] = []
    let token = own.objectWillChange.sink { sent.append($0) }
    own.count = 1
    own.objectWillChange.send("by hand")
    #expect(sent == ["by hand"])
    token.cancel()
  }

  // MARK: Without published properties

  private class Plain: ObservableObjectType {
    var count = 0 { willSet { objectWillChange.send() } }
  }

  private final class MorePlain: Plain {
    var name = "" { willSet { objectWillChange.send() } }
  }

  @Test func `an object without published properties sends on its publisher itself`() {
    let plain = MorePlain()
    var events: [String] = []
    let first = plain.objectWillChange.sink { events.append("a \(plain.count)\(plain.name)") }
    let second = plain.objectWillChange.sink { events.append("b") }
    plain.count = 1
    plain.name = "x"
    #expect(events == ["a 0", "b", "a 1", "b"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `each object without published properties has one publisher of its own`() {
    let objects = (0..<100).map { _ in Plain() }
    let publishers = objects.map(\.objectWillChange)
    #expect(Set(publishers.map(ObjectIdentifier.init)).count == 100)
    #expect(zip(objects, publishers).allSatisfy { $0.objectWillChange === $1 })
  }

  @Test func `an object at the address of a released one has a new publisher`() {
    var kept: [SubscriptionToken] = []
    for _ in 0..<1_000 {
      let plain = Plain()
      plain.objectWillChange.send()
      kept.append(plain.objectWillChange.sink { Issue.record("this object has not changed") })
    }
    withExtendedLifetime(kept) {}
  }

  @Test func `an object forwards the changes of a model that it holds`() {
    final class Screen: ObservableObjectType {
      let settings = Settings()
      let plain = Plain()
      private var tokens: Set<SubscriptionToken> = []
      init() {
        for changes in [settings.objectWillChange, plain.objectWillChange] {
          changes.sink { [weak self] in self?.objectWillChange.send() }.store(in: &tokens)
        }
      }
    }
    var screen: Screen? = Screen()
    weak let weakScreen = screen
    let (settings, plain) = (screen!.settings, screen!.plain)
    var count = 0
    let token = screen?.objectWillChange.sink { count += 1 }
    settings.volume = 6
    plain.count = 1
    #expect(count == 2)
    screen = nil
    #expect(weakScreen == nil)
    settings.volume = 7
    plain.count = 2
    #expect(count == 2)
    withExtendedLifetime(token) {}
  }

  @Test func `P6 cancelled subscribers of an object without published properties are released`() {
    let released = Log<Int>()
    let plain = Plain()
    let token = plain.objectWillChange.sink { [probe = Probe { released.append(1) }] in
      probe.touch()
    }
    plain.count = 1
    token.cancel()
    #expect(released.values == [1])
    withExtendedLifetime(plain) {}
  }

  @Test func `P6 the publishers of released objects do not pile up`() {
    struct Weak { weak var publisher: EventSubject<Void, Never>? }
    var publishers: [Weak] = []
    for _ in 0..<10_000 {
      let plain = Plain()
      let token = plain.objectWillChange.sink {}
      publishers.append(Weak(publisher: plain.objectWillChange))
      token.cancel()
    }
    // The table keeps at most twice as many as are in use; other tests have some, too.
    #expect(publishers.count { $0.publisher != nil } < 5_000)
  }

  @Test func `an object may ask for its publisher while it ends`() {
    final class Ending: ObservableObjectType {
      deinit { objectWillChange.send() }
    }
    var tokens: [SubscriptionToken] = []
    for _ in 0..<1_000 { tokens.append(Ending().objectWillChange.sink {}) }
    withExtendedLifetime(tokens) {}
  }

  @Test func `P6 no other thread keeps an object alive, not even for a moment`() async {
    let isOver = Locked(false)
    async let others: Void = onThread {
      // Each new publisher may let the table look for unused ones.
      while !isOver.withLock({ $0 }) { for _ in 0..<100 { _ = Plain().objectWillChange } }
    }
    let livesOn = await onThread {
      defer { isOver.withLock { $0 = true } }
      return (0..<20_000).contains { _ in
        var plain: Plain? = Plain()
        weak let weakPlain = plain
        _ = plain?.objectWillChange
        plain = nil
        return weakPlain != nil
      }
    }
    #expect(!livesOn)
    await others
  }

  @Test func `an event is delivered before send returns, whatever threads do with other objects`()
    async
  {
    let isOver = Locked(false)
    async let others: Void = onThread {
      // Each new publisher may let the table look for unused ones.
      while !isOver.withLock({ $0 }) { for _ in 0..<100 { _ = Plain().objectWillChange } }
    }
    let lost = await onThread {
      let plain = Plain()
      var count = 0
      let token = plain.objectWillChange.sink { count += 1 }
      defer {
        token.cancel()
        isOver.withLock { $0 = true }
      }
      return (1...20_000).first { number in
        plain.count = number
        return count != number
      }
    }
    #expect(lost == nil)
    await others
  }

  @Test func `P1 threads that ask an object without published properties get one publisher`() async
  {
    // Unchecked because nothing writes to it.
    final class Shared: ObservableObjectType, @unchecked Sendable {}
    for _ in 0..<rounds(200) {
      let shared = Shared()
      let publishers = await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            await onThread {
              for _ in 0..<20 { _ = Plain().objectWillChange }
              return shared.objectWillChange
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(publishers.allSatisfy { $0 === publishers[0] })
    }
  }
}
