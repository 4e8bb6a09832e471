import Sleepless

/// Which tests of a run have waited, where, and what that costs.
package struct WaitSummary: Sendable, Equatable {
  /// A place where a test has waited, with all its waits there.
  package struct Entry: Sendable, Equatable {
    package let kind: MeasuredRun.Kind
    /// What a polling loop repeats.
    package let polls: MeasuredRun.Kind?
    package let place: MeasuredRun.Place
    package let count: Int
    package let time: Duration
  }

  package struct Test: Sendable, Equatable {
    package let test: MeasuredRun.Test
    package let time: Duration
    /// The part of it in which the test waited.
    package let waited: Duration
    /// The longest first.
    package let entries: [Entry]
  }

  package let framework: MeasuredRun.Framework
  /// The one that waited longest comes first.
  package private(set) var tests: [Test] = []
  /// Waits of which no test is known.
  package private(set) var withoutTest: [Entry] = []
  /// How long tests ran, without pauses between them.
  package private(set) var time = Duration.zero
  /// How long of that all running tests waited. Without the waits the run would be at least so much shorter, if a test
  /// does nothing else while it waits.
  package private(set) var shorter = Duration.zero
  /// The tests that ran when the process ended.
  package private(set) var unfinished: [String] = []
  package let limits: [String]

  /// `locate` is asked for the place of each wait, but not for a few yields in one function.
  package init(_ run: MeasuredRun, locate: MeasuredRun.Locate = { _ in nil }) {
    framework = run.framework
    limits = run.limits
    unfinished = run.tests.filter { $0.turns.last?.end == nil }.map(\.name)
    let waits = Dictionary(grouping: run.ownedWaits, by: \.test)
    var spans: [(turns: [Span], waits: [Span])] = []
    for (index, test) in run.tests.enumerated() {
      let turns = test.turns.map { $0.span(until: run.end) }
      let own = waits[index] ?? []
      let waits = own.map { $0.span(until: run.end) }
      let waited = turns.flatMap { turn in Span.union(waits.map { $0.clamped(to: turn) }) }
      spans.append((turns, waited))
      let entries = Self.entries(own, until: run.end, locate)
      // Threads that wait side by side may compute at the same time, which would be subtracted for each of them.
      let least = min(entries.first?.time ?? .zero, Span.length(of: waited))
      tests.append(
        Test(
          test: test, time: Span.length(of: turns),
          waited: max(least, Span.length(of: waited) - own.computed), entries: entries))
    }
    tests = tests.enumerated()
      .sorted { ($1.element.waited, $0.offset) < ($0.element.waited, $1.offset) }.map(\.element)
    withoutTest = Self.entries(waits[nil] ?? [], until: run.end, locate)
    time = Span.length(of: Span.union(spans.flatMap(\.turns)))
    // Each of the running tests may have computed at another time.
    let computed = waits.reduce(Duration.zero) { $0 + ($1.key == nil ? .zero : $1.value.computed) }
    shorter = max(.zero, Self.timeInWhichAllWait(spans) - computed)
  }

  /// How many tests waited.
  package var waitingCount: Int { tests.count { !$0.entries.isEmpty } }
  /// The sum of the tests' times.
  package var testTime: Duration { tests.reduce(.zero) { $0 + $1.time } }
  package var waited: Duration { tests.reduce(.zero) { $0 + $1.waited } }
  /// Whether tests ran side by side.
  package var isParallel: Bool { testTime > time }

  /// Waits at one place that take less in all are not listed: on a busy machine all that awaits takes so long.
  private static let shortestWait = Duration.milliseconds(1)

  /// How many yields at one place are a polling loop.
  private static let fewestYields = 20

  private struct Key: Hashable {
    let kind: MeasuredRun.Kind
    let place: MeasuredRun.Place
  }

  private static func entries(
    _ waits: [MeasuredRun.Wait], until end: Duration, _ locate: MeasuredRun.Locate
  ) -> [Entry] {
    let yields = waits.lazy.filter { $0.kind == .yield }
    let yieldCounts = Dictionary(
      yields.map { ($0.place.function, $0.count) }, uniquingKeysWith: +)
    var keys: [Key] = []
    var groups: [Key: [MeasuredRun.Wait]] = [:]
    for wait in waits {
      // Their places need not be looked up.
      if wait.kind == .yield, yieldCounts[wait.place.function]! < fewestYields { continue }
      let key = Key(kind: wait.kind, place: wait.place.located(by: locate))
      if groups[key] == nil { keys.append(key) }
      groups[key, default: []].append(wait)
    }
    let entries = keys.compactMap { key -> Entry? in
      let waits = groups[key]!
      let count = waits.reduce(0) { $0 + $1.count }
      let sum = waits.reduce(Duration.zero) { sum, wait in
        sum + (wait.end == nil ? wait.span(until: end).length : wait.waited)
      }
      // A task that yields a few times does not wait for time.
      if key.kind == .yield, count < fewestYields { return nil }
      let polls =
        [.taskSleep, .threadSleep, .runLoop, .yield].contains(key.kind)
        && count >= 5 && sum / count < .milliseconds(100)
      // Parallel waits at one place are not added up.
      let time = Span.length(of: Span.union(waits.map { $0.span(until: end) }))
      return Entry(
        kind: polls ? .pollingLoop : key.kind, polls: polls ? key.kind : nil, place: key.place,
        count: count, time: min(sum, time))
    }
    return entries.filter { $0.time >= shortestWait }.sorted { $0.time > $1.time }
  }

  /// How long at least one test ran and all that ran waited.
  private static func timeInWhichAllWait(_ tests: [(turns: [Span], waits: [Span])]) -> Duration {
    // At each instant the number of tests that run, and of those that wait.
    var changes: [(at: Duration, running: Int, waiting: Int)] = []
    for (turns, waits) in tests {
      for turn in turns { changes += [(turn.start, 1, 0), (turn.end, -1, 0)] }
      for wait in waits { changes += [(wait.start, 0, 1), (wait.end, 0, -1)] }
    }
    changes.sort { $0.at < $1.at }
    var (running, waiting, since, sum) = (0, 0, Duration.zero, Duration.zero)
    for change in changes {
      if running > 0, running == waiting { sum += change.at - since }
      since = change.at
      running += change.running
      waiting += change.waiting
    }
    return sum
  }
}

extension MeasuredRun {
  /// The waits of each test, and those of which no test is known.
  ///
  /// A wait that goes on after its test is left out: the test did not wait for it. If the code of a wait does not know
  /// its test, the only test that ran then counts as it. What a test waits for before it runs, as in its traits, counts
  /// for no test.
  fileprivate var ownedWaits: [Wait] {
    waits.compactMap { wait in
      guard let index = wait.test ?? onlyTest(at: wait.start) else { return wait }
      let turns = tests[index].turns
      // Several short waits that are one here may be those of several turns.
      let turn = wait.count > 1 ? turns.last : turns.last { $0.start <= wait.start }
      let tolerance = Duration.milliseconds(1)
      if let end = turn?.end, wait.end.map({ $0 > end + tolerance }) ?? true { return nil }
      let isBefore = wait.end.map { $0 <= turns[0].start } ?? false
      return Wait(
        wait.kind, at: wait.place, count: wait.count, from: wait.start, to: wait.end,
        waited: wait.waited, test: isBefore ? nil : index)
    }
  }

  private func onlyTest(at time: Duration) -> Int? {
    let running = tests.indices.lazy.filter { index in
      tests[index].turns.contains { $0.start <= time && time <= ($0.end ?? end) }
    }.prefix(2)
    return running.count == 1 ? running.first : nil
  }
}

extension MeasuredRun.Test.Turn {
  fileprivate func span(until end: Duration) -> Span { Span(start, max(self.end ?? end, start)) }
}

extension MeasuredRun.Place {
  /// The place with its file and line, if they are found.
  fileprivate func located(by locate: MeasuredRun.Locate) -> Self {
    var place = self
    if let address, let found = locate(address) { (place.file, place.line) = found }
    place.address = nil
    return place
  }
}

extension [MeasuredRun.Wait] {
  /// How long the code computed between short waits that are one here.
  fileprivate var computed: Duration {
    reduce(.zero) { sum, wait in
      sum + (wait.end.map { Swift.max(.zero, $0 - wait.start - wait.waited) } ?? .zero)
    }
  }
}

extension MeasuredRun.Wait {
  fileprivate func span(until end: Duration) -> Span { Span(start, max(self.end ?? end, start)) }
}

/// A span of time.
private struct Span {
  let start: Duration
  let end: Duration

  init(_ start: Duration, _ end: Duration) {
    self.start = start
    self.end = end
  }

  var length: Duration { end - start }

  func clamped(to other: Span) -> Span {
    let start = min(max(start, other.start), other.end)
    return Span(start, max(start, min(end, other.end)))
  }

  /// The spans without overlaps, in their order.
  static func union(_ spans: [Span]) -> [Span] {
    var result: [Span] = []
    for span in spans.sorted(by: { $0.start < $1.start }) where span.length > .zero {
      if let last = result.last, span.start <= last.end {
        result[result.count - 1] = Span(last.start, max(last.end, span.end))
      } else {
        result.append(span)
      }
    }
    return result
  }

  static func length(of spans: [Span]) -> Duration { spans.reduce(.zero) { $0 + $1.length } }
}
