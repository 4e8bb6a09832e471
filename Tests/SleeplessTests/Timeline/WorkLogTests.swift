import Sleepless
import Testing
import TestSupport

@Suite struct WorkLogTests {
  /// More origins than are looked among, by turns and in rows.
  @Test(arguments: [1, 2, 8, 9, 20])
  func `what ran is told in order, from however many origins it comes`(count: Int) {
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

  @Test func `queue, name, place and interval each make an origin of its own`() {
    let timeline = Timeline()
    let main = QueueTag("main", on: timeline)
    let other = QueueTag("other", on: timeline)
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

  @Test func `work that one call schedules time and again shares its origin`() {
    let timeline = Timeline()
    let queue = QueueTag("main", on: timeline)
    let lines: [UInt] = [1, 2, 3, 2, 1, 1, 3]
    let origins = lines.map { line in
      queue.schedule(.function {}, after: .zero, at: CallSite(line: line)).origin
    }
    #expect(origins.map(\.place.line) == [1, 2, 3, 2, 1, 1, 3])
    #expect(Set(origins.map(ObjectIdentifier.init)).count == 3)
  }

  @Test func `what has run is freed, though the log is kept`() {
    let timeline = Timeline()
    weak var first: ScheduledItem?
    let seen = Log<Bool>()
    weak var second: ScheduledItem?
    first = timeline.schedule("first", after: .seconds(1))
    second = timeline.schedule("second", after: .seconds(2))
    timeline.schedule("third", after: .seconds(3)) { [weak first, weak second] in
      seen.append(first == nil && second == nil)
    }
    let ran = timeline.drive(to: nil).ran
    #expect(seen.values == [true])
    #expect(ran.map(\.label) == ["first", "second", "third"])
  }

  @Test func `what runs is alive, though nobody holds its token and it is cancelled`() {
    let timeline = Timeline()
    let seen = Log<String?>()
    let token = Locked<ScheduledItem?>(nil)
    let timer = timeline.schedule("timer", every: .seconds(1)) {
      token.withLock { token in
        defer { token = nil }
        return token
      }?.cancel()
      // Enough shells that the agenda throws them out.
      for _ in 0..<100 { timeline.schedule().cancel() }
      seen.append(timeline.runningItem?.origin.label)
    }
    token.withLock { $0 = timer }
    let ran = timeline.drive(by: .seconds(3)).ran
    #expect(seen.values == ["timer"])
    #expect(ran.map(\.label) == ["timer"])
  }
}
