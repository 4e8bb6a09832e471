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

  @Test func `the publisher of a class without published properties never sends`() {
    final class Plain: ObservableObjectType {
      var count = 0
    }
    let plain = Plain()
    let token = plain.objectWillChange.sink { Issue.record("nothing is announced") }
    plain.count = 1
    token.cancel()
  }
}
