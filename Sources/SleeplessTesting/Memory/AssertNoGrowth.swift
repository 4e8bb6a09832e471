import RetainGraph
import Sleepless
import VirtualTime

/// Repeats a round trip, and fails if objects of a class stay behind in every round.
///
/// ```swift
/// assertNoGrowth {
///   let screen = navigator.push(ProfilePage())
///   navigator.pop(screen)
/// }
/// ```
///
/// The first round is not counted, because caches fill in it. It counts objects of the program's own
/// classes that the closure makes, and the tasks that it starts; not objects made on queues and
/// threads. The test's tasks come to rest before it counts, and it waits for objects that something
/// still holds as `expectDeallocated` does. The failure names the classes, the number of objects left
/// in each round, and what holds the last one. Linux only: elsewhere objects cannot be counted, and it
/// fails. It needs at least two rounds.
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
  for log in growth.logs { try await AllocationLog.$current.withValue(log) { try await round() } }
  await growth.settleAndJudge()
}

/// Repeats a round trip, and fails if objects of a class stay behind in every round.
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

/// Repeats a round trip, and fails if objects of a class stay behind in every round.
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
  let logs: [AllocationLog]
  private let rounds: Int
  private let reporter: Reporter

  init(rounds: Int, at site: CallSite) {
    self.rounds = rounds
    reporter = Reporter(at: site)
    logs = rounds < 2 ? [] : (0..<rounds).map { _ in AllocationLog() }
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
    for log in logs { try AllocationLog.$current.withValue(log) { try round() } }
  }

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
    let watched = logs.flatMap(\.alive)
    let areHeldForGood = RetainPathSearch.inThisTest { search in
      growing.allSatisfy { search.isHeldForGood($0.last, watched: watched) }
    }
    if areHeldForGood { return nil }
    return ({ self.growing.isEmpty }, HangTimeout.interval)
  }

  /// The classes with objects left in every round, their counts, and the last object.
  private var growing: [(name: String, counts: [Int], last: UInt)] {
    var counts: [UInt: [Int]] = [:]
    var last: [UInt: UInt] = [:]
    for (round, log) in logs.enumerated() {
      for object in log.alive {
        let type = UnsafeRawPointer(bitPattern: object)!.load(as: UInt.self)
        counts[type, default: Array(repeating: 0, count: rounds)][round] += 1
        last[type] = object
      }
    }
    return counts.filter { !$0.value.contains(0) }
      .compactMap { type, counts in
        ProgramClass.name(ofMetadata: type).map { ($0, counts, last[type]!) }
      }
      .sorted { $0.0 < $1.0 }
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
    reporter.fail(
      """
      Objects of \(growing.count == 1 ? "1 class" : "\(growing.count) classes") stayed behind in each \
      of \(rounds) rounds:
      \(classes.joined(separator: "\n"))
      About the last \(first.name):
      \(text)
      """)
  }
}
