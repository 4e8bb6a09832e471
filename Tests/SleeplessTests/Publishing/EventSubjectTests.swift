import Sleepless
import Testing

@Suite struct EventSubjectTests {
  let subject = EventSubject<Int, Oops>()
  let log = Log<String>()

  @Test func `P1 each event reaches everybody in the order of their subscriptions`() {
    let tokens = ["a", "b", "c", "d"].map { subject.sink(into: log, as: $0) }
    subject.send(1)
    tokens[1].cancel()
    subject.send(2)
    subject.send(completion: .finished)
    #expect(log.values == ["a1", "b1", "c1", "d1", "a2", "c2", "d2", "a.", "c.", "d."])
  }

  @Test func `P1 two hundred subscribers keep their order when every third leaves`() {
    let tokens = (0..<200).map { subject.sink(into: log, as: "\($0) ") }
    for index in stride(from: 0, to: 200, by: 3) { tokens[index].cancel() }
    subject.send(7)
    #expect(log.values == (0..<200).filter { $0 % 3 != 0 }.map { "\($0) 7" })
    withExtendedLifetime(tokens) {}
  }

  @Test func `P1 what was sent before is not seen`() {
    subject.send(1)
    let token = subject.sink(into: log, as: "a")
    subject.send(2)
    #expect(log.values == ["a2"])
    withExtendedLifetime(token) {}
  }
}
