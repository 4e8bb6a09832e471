import Sleepless
import Testing
import TestSupport

@Suite struct SerialDrainTests {
  let drain = SerialDrain()
  let log = Log<Int>()

  /// Writes a number down, now or when whoever is in leaves; returns whether it was now.
  @discardableResult
  private func write(_ number: Int) -> Bool {
    guard drain.enter(or: { [log] in { log.append(number) } }) else { return false }
    log.append(number)
    drain.leave()
    return true
  }

  @Test func `who finds it free is in`() {
    #expect(write(1))
    #expect(write(2))
    #expect(log.values == [1, 2])
  }

  @Test func `what others want done is done in their order before leaving`() {
    let isIn = drain.enter(or: { {} })
    #expect(isIn)
    #expect(!write(1))
    #expect(!write(2))
    #expect(log.values == [])
    drain.leave()
    #expect(log.values == [1, 2])
  }

  @Test func `what is left by work that was left is done, too`() {
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

  @Test func `work is asked for only by those who are not in`() {
    let isIn = drain.enter(or: {
      Issue.record("nobody was in")
      return {}
    })
    #expect(isIn)
    drain.leave()
  }

  @Test func `many threads are in one at a time, and no work is lost`() async {
    // Unchecked because that is what is tested.
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
