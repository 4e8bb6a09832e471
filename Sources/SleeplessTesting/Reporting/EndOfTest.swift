import Sleepless
import SleeplessSimulation

/// The end of a test: waits until the test's tasks have come to rest, then runs the helpers' checks.
///
/// Helpers register through ``Reporter/atEndOfTest(_:)`` when they are made. In XCTest every test has
/// an end: after its teardown blocks and before `tearDown()`, while failures still count. In Swift
/// Testing, `.checkedAtEnd` and `.simulated` bind one to ``current``. Without one, a helper's release
/// counts as the end of its test.
///
/// The late checks, of recorders that the test has released, run first. The others follow in the order in
/// which they were added. They report through ``Reporter/tellLeftover(_:at:)``. In a test that has failed,
/// a leftover may follow from that failure, so it is only a remark.
package final class EndOfTest: Sendable {
  /// The end of the Swift Testing test that runs in this task; nil if it is not known.
  @TaskLocal package static var current: EndOfTest?

  /// Whether the test's work came to rest before the checks.
  package struct Rest: Sendable {
    /// The work that did not come to rest, one item per line; nil if all did, if no check needs to know, and
    /// if tasks cannot be followed.
    package var unrest: String?
    /// What the tasks had for that, such as "10 s of real time".
    package var given = ""

    /// How far the test's tasks have to come to rest.
    package enum Need: Comparable, Sendable {
      /// Not at all.
      case none
      /// Until no task sends more events. In a simulation, time does not move for it. Outside, loops that
      /// sleep are waited for a second at most.
      case noMoreEvents
      /// As far as by `settle`.
      case whole
    }
  }

  /// A second wait, after the test's tasks have come to rest. It must end by itself.
  package struct Settling: Sendable {
    let settle: @Sendable () async -> Void
    let settleHere: @Sendable () -> Void

    /// `settleHere` is for a synchronous caller, usually on the main thread.
    package init(
      _ settle: @escaping @Sendable () async -> Void,
      here settleHere: (@Sendable () -> Void)? = nil
    ) {
      self.settle = settle
      self.settleHere = settleHere ?? { waitHere(for: settle) }
    }
  }

  private struct Entry: Sendable {
    let rest: @Sendable () -> Rest.Need
    let settling: Settling?
    let check: @Sendable (Rest) -> Void
  }

  private struct State {
    /// Nil once the end has come.
    var entries: [Entry]? = []
    /// The checks of recorders that the test has released, until the test's tasks have come to rest.
    var lateChecks: [@Sendable () -> Void] = []
    var failures = FailureCount()
    /// By the line that made the helpers.
    var limits: [String: Locked<FailureLimit>] = [:]
    var isSkipped = false
  }

  private let state = Locked(State())
  /// The simulation in which it was made, if any.
  private let simulation = currentSimulation?.id

  package init() {}

  /// Adds a check; false if the end has passed.
  ///
  /// `rest` says how far the test's tasks have to come to rest before the check; it is evaluated at the
  /// end. `settling` is awaited after that.
  @discardableResult
  package func add(
    rest: @autoclosure @escaping @Sendable () -> Rest.Need = .none, settling: Settling? = nil,
    _ check: @escaping @Sendable (Rest) -> Void
  ) -> Bool {
    let entry = Entry(rest: rest, settling: settling, check: check)
    return state.withLock { state in
      state.entries?.append(entry)
      return state.entries != nil
    }
  }

  /// Adds the check of a recorder that the test has just released. It runs when the test's tasks have
  /// come to rest: at the end, or earlier if a helper waits for rest. False if the end has passed, and if
  /// this end belongs to another simulation than the caller, because that one may be over by then.
  func addLate(_ check: @escaping @Sendable () -> Void) -> Bool {
    let caller = Self.currentSimulation
    guard caller == nil || caller!.isHosted || caller!.id == simulation else { return false }
    return state.withLock { state in
      if state.entries != nil { state.lateChecks.append(check) }
      return state.entries != nil
    }
  }

  /// Runs the checks of released recorders. Call it when the test's tasks have come to rest.
  func runLateChecks() {
    let checks = state.withLock { state in
      defer { state.lateChecks = [] }
      return state.lateChecks
    }
    for check in checks { check() }
  }

  /// Waits and checks, for an asynchronous caller. From the checks on, additions are refused.
  package func finish() async {
    var (rest, given) = (Rest(), Waits())
    while let missing = missingWaits(after: &given) {
      rest = await Rest.reached(missing.rest, orPause: Rest.pause)
      for settling in missing.settlings { await settling.settle() }
    }
    check(rest)
  }

  /// Waits and checks, for a synchronous caller; on the main thread it serves the run loop
  /// meanwhile.
  package func finishHere() {
    var (rest, given) = (Rest(), Waits())
    while let missing = missingWaits(after: &given) {
      rest = Rest.reachedHere(missing.rest, orPause: Rest.pause)
      for settling in missing.settlings { settling.settleHere() }
    }
    check(rest)
  }

  /// The waits that an end has given to its checks.
  private struct Waits {
    var rest = Rest.Need.none
    var settlings = 0
    var rounds = 0
  }

  /// Returns the waits that checks need and that are not given, as if they were given then; nil if there are none. The
  /// test's tasks may have made helpers during the waits before. A task that makes more without an end gets two rounds.
  private func missingWaits(after given: inout Waits) -> (rest: Rest.Need, settlings: [Settling])? {
    let (entries, areChecksLate) = state.withLock {
      ($0.entries?.map { $0 } ?? [], !$0.lateChecks.isEmpty)
    }
    let least = areChecksLate ? Rest.Need.noMoreEvents : .none
    let need = entries.reduce(least) { max($0, $1.rest()) }
    let settlings = entries.compactMap(\.settling).dropFirst(given.settlings)
    guard need > given.rest || !settlings.isEmpty, given.rounds < 2 else { return nil }
    given.rest = max(need, given.rest)
    given.settlings += settlings.count
    given.rounds += 1
    return (need, Array(settlings))
  }

  private func check(_ rest: Rest) {
    for entry in state.withLock({ $0.entries.take() }) ?? [] { entry.check(rest) }
    // Recorders may have been released since the tasks came to rest.
    runLateChecks()
  }

  private static var currentSimulation: (id: ObjectIdentifier, isHosted: Bool)? {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return nil }
    return Simulation.current.map { ($0.id, $0.isHosted) }
  }

  // MARK: The test's failures

  /// Whether the test has skipped itself.
  var isSkipped: Bool { state.withLock { $0.isSkipped } }

  func noteSkip() { state.withLock { $0.isSkipped = true } }

  var failureCount: Int { state.withLock { $0.failures.all } }

  /// The limit that the helpers made at one line share; nil once the end has come.
  func limit(ofLine line: CallSite) -> Locked<FailureLimit>? {
    let key = "\(line.filePath):\(line.line):\(line.column)"
    return state.withLock { state in
      guard state.entries != nil else { return nil }
      let limit = state.limits[key] ?? Locked(FailureLimit())
      state.limits[key] = limit
      return limit
    }
  }

  func noteFailure() { state.withLock { $0.failures.all += 1 } }

  /// Whether the test has failed by anything but leftovers.
  var hasFailed: Bool { state.withLock { $0.failures.hasOthers } }

  func noteLeftover(_ fail: () -> Void) {
    let before = state.withLock { $0.failures.all }
    fail()
    state.withLock { $0.failures.noteLeftover(since: before) }
  }
}

/// How often a test has failed, and how often by something left over at its end.
struct FailureCount: Sendable {
  var all = 0
  private var leftovers = 0

  var hasOthers: Bool { all > leftovers }

  /// Notes a failure by a leftover if it was counted; `withKnownIssue` may have matched it.
  mutating func noteLeftover(since before: Int) { if all > before { leftovers += 1 } }
}

/// Runs an asynchronous closure and waits for its end, as a synchronous XCTest test may: see
/// ``OneShotContinuation/waitHere()``.
private func waitHere(for body: @escaping @Sendable () async -> Void) {
  let end = OneShotContinuation<Void>()
  Task {
    await body()
    end.resume()
  }
  end.waitHere()
}
