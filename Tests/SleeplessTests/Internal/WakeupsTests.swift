import Sleepless
import Testing
import TestSupport

@Suite struct WakeupsTests {
  @Test func `who waits is told of everything that happens until it is removed`() {
    let (told, other) = (Log<Int>(), Log<Int>())
    Wakeups.somethingHappened()
    let number = Wakeups.add { _ in told.append(1) }
    let otherNumber = Wakeups.add { _ in other.append(2) }
    Wakeups.somethingHappened()
    Wakeups.remove(number)
    let count = told.values.count
    Wakeups.somethingHappened()
    Wakeups.remove(otherNumber)
    // Other tests run meanwhile, and things happen there as well.
    #expect(count >= 1)
    #expect(told.values.count == count)
    #expect(other.values.count >= 2)
  }
}
