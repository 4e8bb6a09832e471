import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct WorkLogTests {
  /// More sources than the log searches, by turns and in rows.
  @Test(arguments: [1, 2, 8, 9, 20])
  func `the log lists the work in order, from any number of sources`(count: Int) {
    let timeline = Timeline()
    let names = (0..<count).map { "origin \($0)" }
    let byTurns = names + names + names
    let inRows = names.flatMap { [$0, $0] }
    for name in byTurns { timeline.schedule(name, after: .seconds(1)) }
    for name in inRows { timeline.schedule(name, after: .seconds(2)) }
    let ran = timeline.drive(to: nil).ran
    #expect(ran.map(\.label) == byTurns + inRows)
    let seconds = byTurns.map { _ in 1 } + inRows.map { _ in 2 }
    #expect(ran.map(\.instant) == seconds.map { Instant(seconds: $0) })
    #expect(WorkLog(ran).map(\.label) == byTurns + inRows)
  }

  @Test func `work with another queue, label, place or interval has another source`() {
    let timeline = Timeline()
    let main = TimelineQueue("main", on: timeline)
    let other = TimelineQueue("other", on: timeline)
    timeline.schedule("a", after: .seconds(1), on: main)
    timeline.schedule("a", after: .seconds(1), on: other)
    timeline.schedule("b", after: .seconds(1), on: other)
    timeline.schedule("b", after: .seconds(1), every: .seconds(2), on: other)
    timeline.schedule("b", after: .seconds(1), every: .seconds(3), on: other)
    let here = CallSite(line: 4711)
    _ = other.schedule(.function {}, after: .seconds(1), label: "b", at: here)
    let ran = timeline.drive(by: .seconds(1)).ran
    #expect(ran.map(\.queue) == ["main", "other", "other", "other", "other", "other"])
    #expect(ran.map(\.label) == ["a", "a", "b", "b", "b", "b"])
    #expect(ran.map(\.interval) == [nil, nil, nil, .seconds(2), .seconds(3), nil])
    #expect(ran.map { $0.place.line == 4711 } == [false, false, false, false, false, true])
  }

  @Test func `pieces of work that one call schedules share a source`() {
    let timeline = Timeline()
    let queue = TimelineQueue("main", on: timeline)
    let lines: [UInt] = [1, 2, 3, 2, 1, 1, 3]
    let origins = lines.map { line in
      queue.schedule(.function {}, after: .zero, at: CallSite(line: line)).source!
    }
    #expect(origins.map(\.place.line) == [1, 2, 3, 2, 1, 1, 3])
    #expect(Set(origins.map(ObjectIdentifier.init)).count == 3)
  }

  @Test func `work that has run is not kept, even if its log and tokens are`() {
    let timeline = Timeline()
    let tokens = (1...3).map { timeline.schedule("\($0)", after: .seconds($0)) }
    let kept = Log<Int>()
    timeline.schedule("last", after: .seconds(4)) { kept.append(timeline.keptCount) }
    let ran = timeline.drive(to: nil).ran
    #expect(kept.values == [0])
    #expect(ran.map(\.label) == ["1", "2", "3", "last"])
    #expect(tokens.map { $0.source?.label } == [nil, nil, nil])
  }

  @Test func `the running work is known, even if its token is gone and it is cancelled`() {
    let timeline = Timeline()
    let seen = Log<String?>()
    let token = Locked<WorkToken?>(nil)
    let timer = timeline.schedule("timer", every: .seconds(1)) {
      token.withLock { token in
        defer { token = nil }
        return token
      }?.cancel()
      // Enough tombstones that the event queue removes them.
      for _ in 0..<100 { timeline.schedule().cancel() }
      seen.append(timeline.running?.label)
    }
    token.withLock { $0 = timer }
    let ran = timeline.drive(by: .seconds(3)).ran
    #expect(seen.values == ["timer"])
    #expect(ran.map(\.label) == ["timer"])
  }
}
