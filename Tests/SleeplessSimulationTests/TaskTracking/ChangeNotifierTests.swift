import Sleepless
import SleeplessSimulation
import Testing
import TestSupport
import VirtualTime

@Suite struct ChangeNotifierTests {
  @Test func `a waiter is notified of each change until it is removed`() {
    // The threads of the notifications: other tests run meanwhile, and notify too.
    let (notified, other, here) = (Log<UInt>(), Log<UInt>(), currentThreadID())
    func count(_ log: Log<UInt>) -> Int { log.values.count { $0 == here } }

    ChangeNotifier.somethingHappened()
    let number = ChangeNotifier.add { _ in notified.append(currentThreadID()) }
    let otherNumber = ChangeNotifier.add { _ in other.append(currentThreadID()) }
    ChangeNotifier.somethingHappened()
    ChangeNotifier.remove(number)
    ChangeNotifier.somethingHappened()
    ChangeNotifier.remove(otherNumber)
    #expect(count(notified) == 1)
    #expect(count(other) == 2)
  }
}
