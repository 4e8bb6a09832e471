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
/// The failure names the classes, the number of objects left in each round, and what holds the last one.
///
/// - It counts objects of the program's own classes that the closure makes, and the tasks that it starts. It does not
///   count objects made on queues and threads, those of Foundation and of the standard library, such as strings, and
///   tasks that capture nothing.
/// - The first round is not counted, because caches fill in it. If a class has objects left in half of the rounds,
///   rounded down, or in more, but not in each, as many rounds follow.
/// - If objects are left, the test's tasks first come to rest. Then it waits for objects that something still holds,
///   as `expectDeallocated` does.
/// - A cache that is not full after the last round fails, too: give it more rounds than the cache has places.
/// - It needs at least two rounds.
/// - Linux only: elsewhere objects cannot be counted, and it fails.
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
  while let logs = growth.nextLogs() {
    for log in logs { try await AllocationLog.$current.withValue(log) { try await round() } }
    await growth.settle()
  }
  growth.judge()
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
  try round()
  while let logs = growth.nextLogs() {
    try growth.run(round, with: logs)
    await growth.settle()
  }
  growth.judge()
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
  try round()
  while let logs = growth.nextLogs() {
    try growth.run(round, with: logs)
    growth.settleHere()
  }
  growth.judge()
}

/// The counts of one call of `assertNoGrowth`.
private final class Growth: Sendable {
  /// One log for each round.
  private let logs = Locked<[AllocationLog]>([])
  /// How the test's tasks came to rest after the latest rounds; nil if nothing grew in them.
  private let rest = Locked<EndOfTest.Rest?>(nil)
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

  func run(_ round: () throws -> Void, with logs: [AllocationLog]) rethrows {
    for log in logs { try AllocationLog.$current.withValue(log) { try round() } }
  }

  /// The logs of the next rounds; nil after the last ones.
  ///
  /// Call it when what grew has settled: objects that are released late would hide that some are left in every second
  /// round only.
  func nextLogs() -> [AllocationLog]? {
    let count = allLogs.count
    guard count == 0 || count == rounds && mayGrowInEverySecondRound else { return nil }
    let next = (0..<rounds).map { _ in AllocationLog() }
    logs.withLock { $0 += next }
    return next
  }

  private var mayGrowInEverySecondRound: Bool {
    left.contains { _, counts, _ in
      let count = counts.count { $0 > 0 }
      // Of three rounds, every second one may be one round or two.
      return count < rounds && count >= rounds / 2
    }
  }

  private var allLogs: [AllocationLog] { logs.withLock { $0.map { $0 } } }

  /// If a class seems to grow, waits until it does not, or will not be released.
  func settle() async {
    rest.withLock { $0 = nil }
    guard !growing.isEmpty else { return }
    let reached = await EndOfTest.Rest.reached()
    rest.withLock { $0 = reached }
    guard let (isOver, timeout) = whatToWaitFor else { return }
    await ReleaseWatch.shared.wait(until: isOver, timeout: timeout)
  }

  /// Does the same for synchronous code.
  func settleHere() {
    rest.withLock { $0 = nil }
    guard !growing.isEmpty else { return }
    let reached = EndOfTest.Rest.reachedHere()
    rest.withLock { $0 = reached }
    guard let (isOver, timeout) = whatToWaitFor else { return }
    ReleaseWatch.shared.waitHere(until: isOver, timeout: timeout)
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

  /// The classes of which objects are left: how many from each round, and the last one.
  private var left: [(name: String, counts: [Int], last: UInt)] {
    let logs = allLogs
    var counts: [UInt: [Int]] = [:]
    var last: [UInt: UInt] = [:]
    for (round, log) in logs.enumerated() {
      for object in log.alive {
        let type = type(of: object)
        counts[type, default: Array(repeating: 0, count: logs.count)][round] += 1
        last[type] = object
      }
    }
    return counts.compactMap { type, counts in
      guard let name = ProgramClass.name(ofMetadata: type), let last = last[type] else {
        return nil
      }
      return (name, counts, last)
    }
  }

  private func type(of object: UInt) -> UInt {
    UnsafeRawPointer(bitPattern: object)!.load(as: UInt.self)
  }

  /// Those of them that grow.
  private var growing: [(name: String, counts: [Int], last: UInt)] {
    left.filter { _, counts, _ in
      let isInEach = !counts.contains(0)
      let isInEverySecond = zip(counts, counts.dropFirst()).allSatisfy { $0 + $1 > 0 }
      return isInEach || isInEverySecond && counts.count > rounds
    }
    .sorted { $0.name < $1.name }
  }

  func judge() {
    let growing = growing
    guard let rest = rest.withLock({ $0 }), let first = growing.first else { return }
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
