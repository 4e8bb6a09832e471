import Dispatch
import Sleepless
import Testing

@Suite struct LockedTests {
  @Test func `threads that count together lose nothing`() {
    let count = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<1000 { count.withLock { $0 += 1 } }
    }
    #expect(count.withLock { $0 } == 4000)
  }

  @Test func `an error leaves the lock free and the value as it was by then`() {
    let value = Locked(1)
    #expect(throws: CancellationError.self) {
      try value.withLock {
        $0 = 2
        throw CancellationError()
      }
    }
    #expect(value.withLock { $0 } == 2)
  }
}
