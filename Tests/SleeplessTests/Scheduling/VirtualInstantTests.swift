import Sleepless
import Testing

@Suite struct VirtualInstantTests {
  private let start = VirtualInstant()

  @Test func `the default is the start`() {
    #expect(start.offset == .zero)
  }

  @Test func `measuring a duration is the inverse of advancing by it`() {
    let later = start.advanced(by: .seconds(3))
    #expect(start.duration(to: later) == .seconds(3))
    #expect(later.duration(to: start) == .seconds(-3))
    #expect(later.advanced(by: .seconds(-3)) == start)
  }

  @Test func `the earlier instant is less`() {
    #expect(start < VirtualInstant(offset: .nanoseconds(1)))
    #expect(VirtualInstant(offset: .nanoseconds(-1)) < start)
  }

  @Test func `an instant reads as its distance from the start`() {
    #expect(VirtualInstant(offset: .milliseconds(1500)).description == "1.5 seconds")
  }
}
