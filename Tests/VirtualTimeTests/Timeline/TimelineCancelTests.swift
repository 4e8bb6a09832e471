import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineCancelTests {
  private let runLog = RunLog()
  private var timeline: Timeline { runLog.timeline }

  @Test func `T8 cancelled work does not run and is not pending`() {
    let item = runLog.schedule("a", after: .seconds(1))
    item.cancel()
    #expect(timeline.pending.isEmpty)
    _ = timeline.drive(by: .seconds(2))
    #expect(runLog.text == "")
  }

  @Test func `T8 cancelling twice or after the run does nothing`() {
    let item = runLog.schedule("a")
    let other = runLog.schedule("b")
    other.cancel()
    other.cancel()
    _ = timeline.drive(by: .zero)
    item.cancel()
    item.cancel()
    runLog.schedule("c")
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "a@0 c@0")
  }

  @Test func `T8 an old token does not cancel work that reuses its place in memory`() {
    let ran = runLog.schedule("ran")
    let cancelled = runLog.schedule("cancelled", after: .seconds(1))
    cancelled.cancel()
    _ = timeline.drive(by: .seconds(1))
    let new = [runLog.schedule("a"), runLog.schedule("b")]
    #expect(timeline.keptCount == 2)
    ran.cancel()
    cancelled.cancel()
    #expect(timeline.pendingLabels == ["a", "b"])
    #expect(new.map { $0.source?.label } == ["a", "b"])
    #expect(ran.source == nil && cancelled.source == nil)
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "ran@0 a@1 b@1")
  }

  @Test func `T8 repeating work that cancels itself has run for the last time`() {
    let token = Locked<WorkToken?>(nil)
    let count = Locked(0)
    let item = runLog.schedule("tick", after: .seconds(1), every: .seconds(1)) {
      if count.withLock({
        $0 += 1; return $0
      }) == 3 {
        token.withLock { $0 }?.cancel()
      }
    }
    token.withLock { $0 = item }
    _ = timeline.drive(by: .seconds(10))
    #expect(runLog.text == "tick@1 tick@2 tick@3")
    #expect(timeline.pending.isEmpty)
  }

  @Test func `T8 work can cancel work that is due later at the same instant`() {
    let token = Locked<WorkToken?>(nil)
    runLog.schedule("a", after: .seconds(1)) { token.withLock { $0 }?.cancel() }
    token.withLock { $0 = runLog.schedule("b", after: .seconds(1)) }
    runLog.schedule("c", after: .seconds(1))
    _ = timeline.drive(by: .seconds(1))
    #expect(runLog.text == "a@1 c@1")
  }

  @Test func `T8 work can cancel everything, including itself and work that has run`() {
    let tokens = Log<WorkToken>()
    for name in ["a", "b", "c"] {
      tokens.append(
        runLog.schedule(name, after: .seconds(1), every: .seconds(1)) {
          if name == "b" { for token in tokens.values { token.cancel() } }
        })
    }
    _ = timeline.drive(by: .seconds(3))
    #expect(runLog.text == "a@1 b@1")
    #expect(timeline.pending.isEmpty)
  }

  @Test func `the queue keeps no more tombstones than work`() {
    let kept = (0..<10).map { runLog.schedule("kept \($0)", after: .seconds(10)) }
    for _ in 0..<10_000 { runLog.schedule("x", after: .seconds(20)).cancel() }
    #expect(timeline.storedCount <= 64)
    #expect(timeline.pending.count == kept.count)
    _ = timeline.drive(to: nil)
    #expect(timeline.storedCount == 0)
  }

  @Test func `removing tombstones removes no other work`() {
    let items = (0..<1000).map { runLog.schedule("w\($0)", after: .seconds($0 % 7)) }
    for (index, item) in items.enumerated() where index % 10 != 0 { item.cancel() }
    let expected = (0..<1000).filter { $0 % 10 == 0 }
      .sorted { ($0 % 7, $0) < ($1 % 7, $1) }.map { "w\($0)@\($0 % 7)" }
    _ = timeline.drive(to: nil)
    #expect(runLog.text == expected.joined(separator: " "))
  }

  @Test func `cancelled work releases its captures at once`() {
    weak var captured: Probe?
    let item = {
      let probe = Probe()
      captured = probe
      return timeline.schedule(after: .seconds(1)) { probe.touch() }
    }()
    #expect(captured != nil)
    item.cancel()
    #expect(captured == nil)
  }

  @Test func `work that has run releases its captures, even if its token lives`() {
    weak var captured: Probe?
    let item = {
      let probe = Probe()
      captured = probe
      return timeline.schedule { probe.touch() }
    }()
    _ = timeline.drive(by: .zero)
    #expect(captured == nil)
    item.cancel()
  }

  @Test func `free memory holds no words of old work or of earlier contents`() {
    let probe = Probe()
    let work: @Sendable () -> Void = { probe.touch() }
    // Fills the memory that the first sixteen pieces of work, of six words each, will reuse.
    let (function, context) = unsafeBitCast(work, to: (UInt, UInt).self)
    let memory = UnsafeMutablePointer<UInt>.allocate(capacity: 16 * 6)
    for word in 0..<(16 * 6) { memory[word] = word.isMultiple(of: 2) ? function : context }
    memory.deallocate()
    let ran = timeline.schedule("ran", work)
    #expect(timeline.isClean)
    let cancelled = timeline.schedule(after: .seconds(1), work)
    cancelled.cancel()
    timeline.schedule(after: .seconds(2), work)
    _ = timeline.drive(by: .seconds(1))
    #expect(timeline.keptCount == 1)
    #expect(timeline.isClean)
    ran.cancel()
  }

  @Test func `T9 captures of cancelled work are released outside the lock`() {
    let item = { [runLog] in
      let probe = Probe { runLog.schedule("from deinit") }
      return timeline.schedule(after: .seconds(1)) { probe.touch() }
    }()
    item.cancel()
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "from deinit@0")
  }

  @Test func `T9 captures of work that has run are released outside the lock`() {
    _ = { [runLog] in
      let probe = Probe { runLog.schedule("from deinit") }
      return timeline.schedule { probe.touch() }
    }()
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "from deinit@0")
  }
}
