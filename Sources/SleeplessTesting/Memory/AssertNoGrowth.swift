import RetainGraph
import Sleepless
import VirtualTime

/// Repeats a round trip, and fails if objects of a class stay behind in every round, or in every second one.
///
/// ```swift
/// assertNoGrowth {
///   let screen = navigator.push(ProfilePage())
///   navigator.pop(screen)
/// }
/// ```
///
/// The first round is not counted, because caches fill in it. If objects are left in half of the rounds or more, but
/// not in each, as many rounds follow. It counts objects of the program's own classes that the closure makes, and the
/// tasks that it starts. It does not count objects made on queues and threads, those of Foundation and of the standard
/// library, such as strings, and tasks that capture nothing. The test's tasks come to rest before it counts, and it waits for objects that something
/// still holds as `expectDeallocated` does. The failure names the classes, the number of objects left
/// in each round, and what holds the last one. A cache that is not full after the last round fails, too: give it more
/// rounds than the cache has places. Linux only: elsewhere objects cannot be counted, and it fails. It needs at least
/// two rounds.
public func assertNoGrowth(
  rounds: Int = 4,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ round: () async throws -> Void
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let growth = Growth(rounds: rounds, at: site)
  guard growth.begin() else { return }
  defer { AllocationLog.end() }
  try await round()
  while let log = growth.nextLog() {
    try await AllocationLog.$current.withValue(log) { try await round() }
  }
  await growth.settleAndJudge()
}

/// Repeats a round trip, and fails if objects of a class stay behind in every round, or in every second one.
///
/// Like the form whose closure is asynchronous.
public func assertNoGrowth(
  rounds: Int = 4,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ round: () throws -> Void
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let growth = Growth(rounds: rounds, at: site)
  guard growth.begin() else { return }
  defer { AllocationLog.end() }
  try growth.run(round)
  await growth.settleAndJudge()
}

/// Repeats a round trip, and fails if objects of a class stay behind in every round, or in every second one.
///
/// Like the form with `await`, for synchronous tests.
public func assertNoGrowth(
  rounds: Int = 4,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ round: () throws -> Void
) rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let growth = Growth(rounds: rounds, at: site)
  guard growth.begin() else { return }
  defer { AllocationLog.end() }
  try growth.run(round)
  growth.settleAndJudge()
}

/// The counts of one call of `assertNoGrowth`.
private final class Growth: Sendable {
  /// One log for each round.
  private let logs = Locked<[AllocationLog]>([])
  private let rounds: Int
  private let reporter: Reporter

  init(rounds: Int, at site: CallSite) {
    self.rounds = rounds
    reporter = Reporter(at: site)
  }

  /// Begins to count; false, with a failure, if there is nothing to count or no way to.
  func begin() -> Bool {
    guard rounds >= 2 else {
      reporter.fail(
        """
        assertNoGrowth needs at least 2 rounds (was \(rounds)). Nothing was run.
        What is left after one round may be a cache; what is left after every round grows.
        """)
      return false
    }
    guard AllocationLog.begin() else {
      reporter.fail(
        """
        assertNoGrowth cannot count objects here. Nothing was run.
        It needs Linux, with Swift's runtime as a shared library (not -static-stdlib), and the fact \
        object-births. On Linux SLEEPLESS_RUNTIME=report prints whether that fact holds.
        """)
      return false
    }
    return true
  }

  func run(_ round: () throws -> Void) rethrows {
    try round()
    while let log = nextLog() { try AllocationLog.$current.withValue(log) { try round() } }
  }

  /// The log of the next round; nil after the last one.
  func nextLog() -> AllocationLog? {
    let count = allLogs.count
    let isOver = count == 2 * rounds || count == rounds && !mayGrowInEverySecondRound
    guard !isOver else { return nil }
    let log = AllocationLog()
    logs.withLock { $0.append(log) }
    return log
  }

  private var mayGrowInEverySecondRound: Bool {
    counts.values.contains { counts in
      let left = counts.count { $0 > 0 }
      return left < rounds && 2 * left >= rounds
    }
  }

  private var allLogs: [AllocationLog] { logs.withLock { $0.map { $0 } } }

  func settleAndJudge() async {
    guard !growing.isEmpty else { return }
    let rest = await EndOfTest.Rest.reached()
    if let (isOver, timeout) = whatToWaitFor {
      await ReleaseWatch.shared.wait(until: isOver, timeout: timeout)
    }
    judge(rest)
  }

  func settleAndJudge() {
    guard !growing.isEmpty else { return }
    let rest = EndOfTest.Rest.reachedHere()
    if let (isOver, timeout) = whatToWaitFor {
      ReleaseWatch.shared.waitHere(until: isOver, timeout: timeout)
    }
    judge(rest)
  }

  private var whatToWaitFor: (isOver: @Sendable () -> Bool, Duration)? {
    let growing = growing
    let watched = allLogs.flatMap(\.alive)
    let areHeldForGood = RetainPathSearch.inThisTest { search in
      growing.allSatisfy { search.isHeldForGood($0.last, watched: watched) }
    }
    if areHeldForGood { return nil }
    return ({ self.growing.isEmpty }, HangTimeout.interval)
  }

  /// By class: how many objects of it are left from each round.
  private var counts: [UInt: [Int]] {
    let logs = allLogs
    var counts: [UInt: [Int]] = [:]
    for (round, log) in logs.enumerated() {
      for object in log.alive {
        counts[type(of: object), default: Array(repeating: 0, count: logs.count)][round] += 1
      }
    }
    return counts.filter { ProgramClass.name(ofMetadata: $0.key) != nil }
  }

  private func type(of object: UInt) -> UInt {
    UnsafeRawPointer(bitPattern: object)!.load(as: UInt.self)
  }

  /// The classes that grow, their counts, and the last object of each.
  private var growing: [(name: String, counts: [Int], last: UInt)] {
    counts.compactMap { type, counts in
      let isInEach = !counts.contains(0)
      let isInEverySecond = zip(counts, counts.dropFirst()).allSatisfy { $0 + $1 > 0 }
      guard isInEach || isInEverySecond && counts.count > rounds,
        let name = ProgramClass.name(ofMetadata: type),
        let last = allLogs.lazy.reversed().flatMap({ $0.alive })
          .first(where: { self.type(of: $0) == type })
      else { return nil }
      return (name, counts, last)
    }
    .sorted { $0.name < $1.name }
  }

  private func judge(_ rest: EndOfTest.Rest) {
    let growing = growing
    guard let first = growing.first else { return }
    let classes = growing.map { name, counts, _ in
      "  \(name): \(counts.map { "+\($0)" }.joined(separator: ", "))"
    }
    let text = RetainPathSearch.inThisTest {
      $0.text(about: first.name, at: first.last, rest: rest)
    }
    let count = first.counts.count
    let isInEach = growing.allSatisfy { !$0.counts.contains(0) }
    reporter.fail(
      """
      Objects of \(growing.count == 1 ? "1 class" : "\(growing.count) classes") stayed behind in \
      \(isInEach ? "each" : "at least every second") of \(count) rounds:
      \(classes.joined(separator: "\n"))
      About the last \(first.name):
      \(text)
      A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) with more rounds \
      than the cache has places.
      """)
  }
}
