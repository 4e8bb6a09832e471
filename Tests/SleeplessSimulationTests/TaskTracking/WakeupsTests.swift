import Sleepless
import SleeplessSimulation
import Testing
import TestSupport
import VirtualTime

@Suite struct WakeupsTests {
  @Test func `who waits is told of everything that happens until it is removed`() {
    // The threads that tell: other tests run meanwhile, and things happen there as well.
    let (told, other, here) = (Log<UInt>(), Log<UInt>(), currentThreadID())
    func count(_ log: Log<UInt>) -> Int { log.values.count { $0 == here } }

    Wakeups.somethingHappened()
    let number = Wakeups.add { _ in told.append(currentThreadID()) }
    let otherNumber = Wakeups.add { _ in other.append(currentThreadID()) }
    Wakeups.somethingHappened()
    Wakeups.remove(number)
    Wakeups.somethingHappened()
    Wakeups.remove(otherNumber)
    #expect(count(told) == 1)
    #expect(count(other) == 2)
  }
}
