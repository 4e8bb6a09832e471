import Dispatch
import Sleepless
import Testing
import TestSupport
import VirtualTime

/// Threads that schedule, cancel and drive at once. The system chooses the interleavings, so a pass proves
/// little; under the thread sanitizer it proves more.
@Suite(.timeLimit(.minutes(10))) struct TimelineStressTests {
  private let timeline = Timeline()

  /// One piece of work, and how often it ran.
  private final class Fate: Sendable {
    private let state = Locked((runs: 0, runsWhenCancelled: Int?.none))

    var runs: Int { state.withLock { $0.runs } }
    var runsWhenCancelled: Int? { state.withLock { $0.runsWhenCancelled } }

    func run() { state.withLock { $0.runs += 1 } }
    /// To be called after `cancel()` has returned.
    func noteCancellation() { state.withLock { $0.runsWhenCancelled = $0.runs } }
  }

  private func concurrently(_ works: (@Sendable () -> Void)...) async {
    await withTaskGroup { group in
      for work in works { group.addTask { await onThread { work() } } }
    }
  }

  /// Drives in small steps; returns whether time ever went back as this thread sees it.
  private func drive(times: Int) -> Bool {
    var latest = timeline.now
    var wentBack = false
    for _ in 0..<times {
      _ = timeline.drive(by: .nanoseconds(3))
      let now = timeline.now
      if now < latest { wentBack = true }
      latest = now
    }
    return wentBack
  }

  @Test func `T8 on many threads, work runs once or is cancelled`() async {
    let fates = Log<Fate>()
    let wentBack = Log<Bool>()
    let schedule: @Sendable (UInt64) -> Void = { [timeline] seed in
      var random = SeededGenerator(seed: seed)
      var mine: [(item: WorkToken, fate: Fate)] = []
      for _ in 0..<2000 {
        let fate = Fate()
        let delay = Duration.nanoseconds(Int.random(in: -1...20, using: &random))
        mine.append((timeline.schedule(after: delay) { fate.run() }, fate))
        fates.append(fate)
        if Bool.random(using: &random), let victim = mine.randomElement(using: &random) {
          victim.item.cancel()
          victim.fate.noteCancellation()
        }
      }
    }
    await concurrently(
      { schedule(1) }, { schedule(2) },
      { wentBack.append(drive(times: 1000)) }, { wentBack.append(drive(times: 1000)) })
    _ = timeline.drive(to: nil)

    #expect(timeline.storedCount == 0)
    #expect(wentBack.values == [false, false])
    let runs = fates.values.map { (all: $0.runs, whenCancelled: $0.runsWhenCancelled) }
    #expect(runs.count == 4000)
    #expect(runs.allSatisfy { $0.all <= 1 }, "nothing runs twice")
    #expect(
      runs.allSatisfy { $0.all == 1 || $0.whenCancelled != nil },
      "nothing that nobody cancelled is lost")
  }

  @Test func `T8 after cancel returns, repeating work runs once more at most`() async {
    let fates = Log<Fate>()
    let isDone = Locked(false)
    await concurrently(
      { [timeline] in
        for _ in 0..<300 {
          let fate = Fate()
          let item = timeline.schedule(after: .nanoseconds(1), every: .nanoseconds(1)) {
            fate.run()
          }
          _ = timeline.now
          item.cancel()
          fate.noteCancellation()
          fates.append(fate)
        }
        isDone.withLock { $0 = true }
      },
      {
        while !isDone.withLock({ $0 }) { _ = drive(times: 10) }
      })
    _ = timeline.drive(by: .nanoseconds(10))

    #expect(timeline.pending.isEmpty)
    #expect(fates.values.count == 300)
    // One more: the occurrence that the driver had taken already.
    #expect(fates.values.allSatisfy { $0.runs <= $0.runsWhenCancelled! + 1 })
  }

  @Test func `work that cancels its neighbours on other threads and drives is safe`() async {
    let items = Locked<[WorkToken]>([])
    let runs = Locked(0)
    let schedule: @Sendable () -> Void = { [timeline] in
      for number in 0..<300 {
        let item = timeline.schedule(after: .nanoseconds(number % 7)) {
          runs.withLock { $0 += 1 }
          items.withLock { $0.popLast() }?.cancel()
          // Only some: at most two hundred drives may be nested, and here all might be.
          if number % 8 == 0 { _ = timeline.drive(by: .nanoseconds(1)) }
        }
        items.withLock { $0.append(item) }
      }
    }
    await concurrently(schedule, schedule, { _ = drive(times: 300) }, { _ = drive(times: 300) })
    _ = timeline.drive(to: nil)
    #expect(timeline.storedCount == 0)
    #expect((1...600).contains(runs.withLock { $0 }))
  }
}
