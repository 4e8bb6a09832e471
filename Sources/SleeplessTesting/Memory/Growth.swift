import RetainGraph
import Sleepless
import SleeplessSimulation
import VirtualTime

/// The counts of one call of `assertNoGrowth`.
final class Growth: Sendable {
  /// One log for each round.
  private let logs = Locked<[AllocationLog]>([])
  private let tasks = Locked(TasksOfRounds())
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

  // MARK: Rounds

  func run(_ round: () throws -> Void, with logs: [AllocationLog]) rethrows {
    for log in logs {
      try AllocationLog.$current.withValue(log) { try round() }
      endRound()
    }
  }

  /// Notes the tasks that the round has started. Call it after each round that counts.
  func endRound() {
    let unfinished = RetainPathSearch.unfinishedTasks.map(\.number)
    tasks.withLock { $0.endRound(with: unfinished) }
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
    let unfinished = RetainPathSearch.unfinishedTasks.map(\.number)
    tasks.withLock { $0.known.formUnion(unfinished) }
    return next
  }

  private var mayGrowInEverySecondRound: Bool {
    left.contains { leftover in
      let count = leftover.counts.count { $0 > 0 }
      // Of three rounds, every second one may be one round or two.
      return count < rounds && count >= rounds / 2
    }
  }

  private var allLogs: [AllocationLog] { logs.withLock { $0.map { $0 } } }

  // MARK: Leftovers

  /// If a type seems to grow, waits until it does not, or will not be released.
  func settle() async {
    rest.withLock { $0 = nil }
    guard !growing.isEmpty else { return }
    let reached = await EndOfTest.Rest.reached()
    rest.withLock { $0 = reached }
    guard let (watch, isOver) = whatToWaitFor else { return }
    await watch.wait(until: isOver, timeout: HangTimeout.interval)
  }

  /// Does the same for synchronous code.
  func settleHere() {
    rest.withLock { $0 = nil }
    guard !growing.isEmpty else { return }
    let reached = EndOfTest.Rest.reachedHere()
    rest.withLock { $0 = reached }
    guard let (watch, isOver) = whatToWaitFor else { return }
    watch.waitHere(until: isOver, timeout: HangTimeout.interval)
  }

  /// The release of objects of the standard library is not reported.
  private static let polling = ReleaseWatch(tellsEnds: false)

  /// Nil if nothing can release the objects that are left. Tasks that are left have had their time to come to rest.
  private var whatToWaitFor: (watch: ReleaseWatch, isOver: @Sendable () -> Bool)? {
    let growing = growingObjects
    guard !growing.isEmpty else { return nil }
    let areHeldForGood = RetainPathSearch.inThisTest { search in
      growing.allSatisfy { !search.heldForGood([$0.lastObject], watched: []).isEmpty }
    }
    if areHeldForGood { return nil }
    return (
      growing.allSatisfy(\.isOfProgram) ? .shared : Self.polling, { self.growingObjects.isEmpty }
    )
  }

  /// What is left of each type.
  private var left: [Leftover] { objectsLeft + tasksLeft }

  private var objectsLeft: [Leftover] {
    let blocks = allLogs.map(\.alive)
    let types = AllocatedType.all(in: Set(blocks.joined().map(\.metadata)))
    var leftovers = types.mapValues { Leftover(type: $0, roundCount: blocks.count) }
    for (round, blocks) in blocks.enumerated() {
      for block in blocks { leftovers[block.metadata]?.add(block, inRound: round) }
    }
    return Array(leftovers.values)
  }

  private var tasksLeft: [Leftover] {
    let unfinished = RetainPathSearch.unfinishedTasks
    let rounds = tasks.withLock { $0.rounds.map { $0 } }
    let counts = rounds.map { numbers in unfinished.count { numbers.contains($0.number) } }
    guard counts.contains(where: { $0 > 0 }) else { return [] }
    let last = rounds.last { !$0.isEmpty }.flatMap { numbers in
      unfinished.last { numbers.contains($0.number) }
    }
    return [Leftover(tasks: counts, last: last)]
  }

  /// Those of them that grow; the ones that explain most come first. Closures and boxed values are left out if there
  /// are others, which mostly hold them.
  private var growing: [Leftover] {
    let all = left.filter(isGrowing).sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
    let named = all.filter { !$0.isAnonymous }
    return named.isEmpty ? all : named
  }

  private var growingObjects: [Leftover] { objectsLeft.filter(isGrowing) }

  private func isGrowing(_ leftover: Leftover) -> Bool {
    let counts = leftover.counts
    let isInEach = !counts.contains(0)
    let isInEverySecond = zip(counts, counts.dropFirst()).allSatisfy { $0 + $1 > 0 }
    return isInEach || isInEverySecond && counts.count > rounds
  }

  func judge() {
    let growing = growing
    guard let rest = rest.withLock({ $0 }), let first = growing.first else { return }
    reporter.fail(first.text(withAll: growing, rest: rest))
  }
}

/// The tasks that each round has started and that had not ended then, by their numbers.
private struct TasksOfRounds {
  var known: Set<Int> = []
  private(set) var rounds: [Set<Int>] = []

  mutating func endRound(with unfinished: [Int]) {
    rounds.append(Set(unfinished).subtracting(known))
    known.formUnion(unfinished)
  }
}
