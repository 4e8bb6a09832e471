import SleeplessTesting
import Testing

private struct Item {
  let name: String
}
struct Basket {
  let name: String
}
private enum Event {
  case added(Item)
  case filled(Basket)
  case noted(Note)
}
private struct Note {
  let text: String
}
private struct Free: CustomStringConvertible {
  let description: String
}

/// Values as failures show them.
@Suite struct EventTextTests {
  @Test func `types within a value have no module and no place of a file`() {
    #expect(eventText(of: Event.added(Item(name: "x"))) == #"added(Item(name: "x"))"#)
    #expect(eventText(of: Event.filled(Basket(name: "x"))) == #"filled(Basket(name: "x"))"#)
    #expect(eventText(of: [Basket(name: "x")]).hasSuffix(#"Basket(name: "x")]"#))
  }

  @Test func `strings within a value are left as they are`() {
    let text = #"see SleeplessTestingTests.A, "SleeplessTestingTests.B""#
    let expected =
      #"noted(Note(text: "see SleeplessTestingTests.A, \"SleeplessTestingTests.B\""))"#
    #expect(eventText(of: Event.noted(Note(text: text))) == expected)
  }

  @Test func `a value's own description keeps file names and longer names`() {
    for text in ["SleeplessTestingTests.swift", "MySleeplessTestingTests.Store"] {
      #expect(eventText(of: Free(description: text)) == text)
    }
  }

  @Test func `lines are told apart, empty ones too`() {
    #expect(eventText(of: Free(description: "a\nb")) == #"a\nb"#)
    #expect(eventText(of: Free(description: "a\n\nb")) == #"a\n\nb"#)
    #expect(eventText(of: "a\nb") == #""a\nb""#)
  }

  @Test func `a long text is cut`() {
    #expect(eventText(of: Free(description: String(repeating: "a", count: 300))).count == 200)
  }
}
