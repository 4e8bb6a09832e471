import Foundation
import SleeplessTesting
import Testing
import TestSupport

@Suite struct ReentrancyTests {
  let log = Log<String>()

  @Test func `T4 work scheduled for now runs in the same advance, after the queued work`() {
    let scheduler = TestScheduler()
    scheduler.async {
      log.append("a")
      scheduler.async { log.append("c") }
    }
    scheduler.async { log.append("b") }
    scheduler.advance()
    #expect(log.values == ["a", "b", "c"])
  }

  @Test func `T4 work that becomes due on the way runs at its own time, later work stays`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) {
      scheduler.schedule(after: .seconds(1)) { log.append("at \(scheduler.now)") }
      scheduler.schedule(after: .seconds(5)) { log.append("too late") }
    }
    scheduler.advance(by: .seconds(3))
    #expect(log.values == ["at 2.0 seconds"])
    scheduler.run()
  }

  @Test(arguments: [(5, 6), (4, 6), (6, 6)])
  func `T9 an advance from within work goes on from there, and the outer one ends no earlier`(
    inner: Int, end: Int
  ) {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) {
      scheduler.advance(to: .seconds(inner))
      log.append("inner ended at \(scheduler.now)")
    }
    scheduler.schedule(after: .seconds(2)) { log.append("work at \(scheduler.now)") }
    scheduler.advance(to: .seconds(6))
    #expect(log.values == ["work at 2.0 seconds", "inner ended at \(inner).0 seconds"])
    #expect(scheduler.now == .seconds(end))
  }

  @Test func `T9 an inner advance that goes further takes the outer one along`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) { scheduler.advance(to: .seconds(9)) }
    scheduler.advance(to: .seconds(6))
    #expect(scheduler.now == .seconds(9))
  }

  @Test func `work that cancels its own repetition runs no more`() {
    let scheduler = TestScheduler()
    let token = Locked<(any CancellableType)?>(nil)
    let timer = scheduler.schedule(every: .seconds(1)) {
      log.append("tick")
      token.withLock { $0 }?.cancel()
    }
    token.withLock { $0 = timer }
    scheduler.advance(by: .seconds(5))
    #expect(log.values == ["tick"])
    #expect(scheduler.pending.isEmpty)
  }

  @Test func `T8 work cancels work due at the same instant, which then does not run`() {
    let scheduler = TestScheduler()
    let later = Locked<(any CancellableType)?>(nil)
    let earlier = scheduler.schedule(after: .seconds(1)) { log.append("earlier") }
    scheduler.schedule(after: .seconds(1)) {
      log.append("cancelling")
      earlier.cancel()
      later.withLock { $0 }?.cancel()
    }
    let token = scheduler.schedule(after: .seconds(1)) { log.append("later") }
    later.withLock { $0 = token }
    scheduler.run()
    #expect(log.values == ["earlier", "cancelling"])
  }

  @Test func `work may release the last reference to its scheduler`() {
    let box = Locked<TestScheduler?>(TestScheduler(allowsPendingWork: true))
    box.withLock { $0! }.schedule(after: .seconds(1)) {
      log.append("released")
      box.withLock { $0 = nil }
    }
    box.withLock { $0! }.schedule(after: .seconds(2)) { log.append("the advance goes on") }
    box.withLock { $0! }.advance(by: .seconds(3))
    #expect(log.values == ["released", "the advance goes on"])
  }

  @Test func `a chain of five delays ends in one advance`() {
    let scheduler = TestScheduler()
    @Sendable func step(_ number: Int) {
      log.append("\(number) at \(scheduler.now)")
      if number < 5 { scheduler.schedule(after: .seconds(1)) { step(number + 1) } }
    }
    scheduler.schedule(after: .seconds(1)) { step(1) }
    scheduler.advance(by: .seconds(5))
    #expect(log.values == (1...5).map { "\($0) at \($0).0 seconds" })
  }

  @Test func `T9 no lock is held while work runs or its captures are released`() {
    final class Captured: Sendable {
      let onRelease: @Sendable () -> Void
      init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
      deinit { onRelease() }
    }
    let scheduler = TestScheduler()
    func schedule(_ name: String) -> any CancellableType {
      let captured = Captured { log.append("\(name) released, \(scheduler.pending.count) pending") }
      return scheduler.schedule(after: .seconds(1)) { _ = captured }
    }
    _ = schedule("run")
    schedule("cancelled").cancel()
    scheduler.run()
    #expect(log.values == ["cancelled released, 1 pending", "run released, 0 pending"])
  }

  @Test func `T9 a second thread waits for its turn to advance`() {
    let scheduler = TestScheduler()
    let isRunning = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let bothAreDone = DispatchGroup()
    scheduler.schedule(after: .seconds(1)) {
      isRunning.signal()
      mayEnd.wait()
      log.append("first")
    }
    scheduler.schedule(after: .seconds(2)) { log.append("second") }
    DispatchQueue.global().async(group: bothAreDone) { scheduler.advance(by: .seconds(1)) }
    isRunning.wait()
    DispatchQueue.global().async(group: bothAreDone) { scheduler.advance(by: .seconds(1)) }
    mayEnd.signal()
    bothAreDone.wait()
    // Whether or not the second came before the first had ended: both strides count.
    #expect(log.values == ["first", "second"])
    #expect(scheduler.now == .seconds(2))
  }
}
