import Sleepless
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct ThreadLocalTests {
  @Test func `each thread has its own object`() async {
    let local = ThreadLocal { Probe() }
    let (first, second) = await onThread { (local.value, local.value) }
    let other = await onThread { local.value }
    #expect(first === second)
    #expect(first !== other)
  }

  @Test func `the object is released when its thread ends`() async {
    let released = Event()
    let local = ThreadLocal { Probe { released.happen() } }
    await onThread { local.value.touch() }
    await released.wait()
  }
}
