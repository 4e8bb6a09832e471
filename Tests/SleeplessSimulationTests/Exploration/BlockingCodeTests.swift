import SleeplessSimulation
import Testing

/// What an exploration remembers of code that has blocked its thread within the step of a held task.
@Suite struct BlockingCodeTests {
  @Test func `code that waited for a lock is remembered with the stack of the held task`() {
    var code = BlockingCode()
    code.insert(1, at: [10, 11], .lock)
    #expect(code.contains(1, at: [10, 11]))
    #expect(!code.contains(1, at: [10]) && !code.contains(2, at: [10, 11]))
    code.insert(1, at: [], .lock)
    #expect(code.contains(1, at: []) && !code.contains(1, at: [12]))
  }

  @Test func `code that waited for locks at three calls is remembered for all`() {
    var code = BlockingCode()
    for place in 1...3 as ClosedRange<UInt> {
      #expect(!code.contains(1, at: [4]))
      code.insert(1, at: [place], .lock)
    }
    #expect(code.contains(1, at: [4]) && !code.contains(2, at: [4]))
    code.insert(1, at: [5], .lock)
    #expect(code.contains(1, at: [6]))
  }

  @Test func `code that blocked its thread in another way is remembered for all calls`() {
    var code = BlockingCode()
    code.insert(1, at: [1], .other)
    #expect(code.contains(1, at: [2]) && code.contains(1, at: []) && !code.contains(2, at: [1]))
  }
}
