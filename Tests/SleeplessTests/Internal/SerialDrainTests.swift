import Sleepless
import Testing
import TestSupport

@Suite struct SerialDrainTests {
  let drain = SerialDrain()
  let log = Log<Int>()

  /// Logs a number, now or when the owner leaves; returns whether it was now.
  @discardableResult
  private func write(_ number: Int) -> Bool {
    guard drain.enter(or: { [log] in { log.append(number) } }) else { return false }
    log.append(number)
    drain.leave()
    return true
  }

  @Test func `a caller that finds the drain free enters`() {
    #expect(write(1))
    #expect(write(2))
    #expect(log.values == [1, 2])
  }

  @Test func `queued work runs in order before the owner leaves`() {
    let isIn = drain.enter(or: { {} })
    #expect(isIn)
    #expect(!write(1))
    #expect(!write(2))
    #expect(log.values == [])
    drain.leave()
    #expect(log.values == [1, 2])
  }

  @Test func `work that queued work adds runs, too`() {
    let isIn = drain.enter(or: { {} })
    #expect(isIn)
    let isNext = drain.enter(or: {
      {
        log.append(1)
        write(3)
        log.append(2)
      }
    })
    #expect(!isNext)
    drain.leave()
    #expect(log.values == [1, 2, 3])
    #expect(write(4))
  }

  @Test func `a caller that enters is not asked for its work`() {
    let isIn = drain.enter(or: {
      Issue.record("the drain had no owner")
      return {}
    })
    #expect(isIn)
    drain.leave()
  }

  @Test func `a look at the free drain queues no work`() async {
    let isOver = Locked(false)
    async let looks: Void = onThread {
      while !isOver.withLock({ $0 }) { for _ in 0..<100 { drain.ifFree {} } }
    }
    let queued = await onThread {
      defer { isOver.withLock { $0 = true } }
      return (0..<rounds(100_000)).first { !self.write($0) }
    }
    #expect(queued == nil)
    await looks
  }

  @Test func `an occupied drain is not looked at`() {
    #expect(drain.ifFree { true } == true)
    #expect(write(1))
    let isIn = drain.enter(or: { {} })
    #expect(isIn)
    #expect(drain.ifFree { true } == nil)
    drain.leave()
  }

  @Test func `only one of many threads owns the drain at a time, and no work is lost`() async {
    // Unchecked on purpose: the test checks this.
    final class Count: @unchecked Sendable { var value = 0 }
    let count = Count()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { [drain] in
          await onThread {
            for _ in 0..<10_000 where drain.enter(or: { { count.value += 1 } }) {
              count.value += 1
              drain.leave()
            }
          }
        }
      }
    }
    #expect(count.value == 40_000)
  }
}
