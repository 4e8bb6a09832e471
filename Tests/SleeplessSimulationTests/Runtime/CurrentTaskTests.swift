import Dispatch
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct CurrentTaskTests {
  @Test func `outside every task there is no current task`() async {
    #expect(await onThread { currentTaskID() } == nil)
  }

  @Test func `a task keeps its number across suspensions`() async {
    let before = currentTaskID()
    await onThread {}
    #expect(before != nil)
    #expect(currentTaskID() == before)
  }

  @Test func `tasks that follow one another have different numbers`() async {
    var ids = [currentTaskID()]
    for _ in 0..<100 { ids.append(await Task { currentTaskID() }.value) }
    await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { currentTaskID() } }
      for await id in group { ids.append(id) }
    }
    #expect(Set(ids).count == 201)
    #expect(!ids.contains(nil))
  }

  @Test func `without numbers of the runtime, unfinished tasks have different addresses`() async {
    func addressOfCurrent() -> UInt64? {
      withUnsafeCurrentTask { $0.map { address(of: unsafeBitCast($0, to: UnownedJob.self)) } }
    }
    let before = addressOfCurrent()
    await onThread {}
    #expect(before != nil)
    #expect(addressOfCurrent() == before)
    async let child = addressOfCurrent()
    #expect(await child != before)
  }
}
