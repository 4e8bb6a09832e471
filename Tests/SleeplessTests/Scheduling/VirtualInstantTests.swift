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

  @Test func `an instant that would lie beyond the largest duration is the last one`() {
    let far = start.advanced(by: .seconds(Int64.max) * 18)
    #expect(far.advanced(by: .seconds(Int64.max)).offset == .forever)
    let past = start.advanced(by: .seconds(Int64.min) * 18)
    #expect(past.advanced(by: .seconds(Int64.min)) < past)
  }

  @Test func `the earlier instant is less`() {
    #expect(start < VirtualInstant(offset: .nanoseconds(1)))
    #expect(VirtualInstant(offset: .nanoseconds(-1)) < start)
  }

  @Test func `an instant reads as its distance from the start`() {
    #expect(VirtualInstant(offset: .milliseconds(1500)).description == "1.5 seconds")
  }
}
