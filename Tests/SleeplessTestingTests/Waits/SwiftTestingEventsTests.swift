import Foundation
import Testing

import SleeplessTesting

@Suite struct SwiftTestingEventsTests {
  @Test(arguments: [
    ("AppTests.Cart/pays()/Cart.swift:3:2", "pays()", "Cart.pays"),
    ("AppTests.Cart/Inner/pays(card:)/Cart.swift:3:2", "pays(card:)", "Cart.Inner.pays"),
    ("AppTests.Cart/`a (b) / c.d`()/Cart.swift:3:2", "`a (b) / c.d`()", "Cart.a (b) / c.d"),
    ("AppTests.free()/Cart.swift:3:2", "free()", "free"),
  ])
  func `a test is named as find-waits names it`(id: String, function: String, name: String) {
    #expect(SwiftTestingEvents.name(id: id, function: function) == name)
  }

  @Test func `a last line that is cut off is left out`() {
    let events = SwiftTestingEvents(
      Data(
        #"""
        {"kind":"test","payload":{"id":"M.S","kind":"suite","name":"S","sourceLocation":{"fileID":"M/A.swift","line":1}}}
        {"kind":"test","payload":{"id":"M.S/a()/A.swift:2:3","kind":"function","name":"a()","sourceLocation":{"_filePath":"/w/A.swift","fileID":"M/A.swift","line":2}}}
        {"kind":"event","payload":{"kind":"testStarted","instant":{"absolute":1},"testID":"M.S"}}
        {"kind":"event","payload":{"kind":"testStarted","instant":{"absolute":2},"testID":"M.S/a()/A.swift:2:3"}}
        {"kind":"event","payload":{"kind":"testEnded","instant":{"abs
        """#.utf8))
    #expect(events.started == ["M.S/a()/A.swift:2:3"])
    #expect(
      Array(events.tests.values) == [
        SwiftTestingEvents.Test(
          name: "S.a", file: "/w/A.swift", line: 2, start: .seconds(2), end: nil)
      ])
  }
}
