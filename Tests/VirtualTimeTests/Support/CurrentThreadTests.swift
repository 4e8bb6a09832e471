import Dispatch
import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite(.timeLimit(.minutes(10))) struct CurrentThreadTests {
  @Test func `a thread keeps its number, and two at once have two`() async {
    let ids = await onThread {
      let other = Locked<UInt?>(nil)
      let done = DispatchSemaphore(value: 0)
      let id = currentThreadID()
      startThread {
        other.withLock { $0 = currentThreadID() }
        done.signal()
      }
      done.wait()
      return [id, currentThreadID(), other.withLock { $0! }]
    }
    #expect(ids[0] == ids[1])
    #expect(ids[0] != ids[2])
  }
}
