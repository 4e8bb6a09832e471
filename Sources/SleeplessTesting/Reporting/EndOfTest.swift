import Foundation
import Sleepless

/// What is to be done when a test ends: wait for what has to come to rest, then check what is left.
///
/// Helpers register through ``Reporter/atEndOfTest(_:)`` when they are made. In XCTest every test has
/// an end, after the test and its teardown blocks and before `tearDown()`, while failures still
/// count. In Swift Testing `.checkedAtEnd` and `.simulated` bind one to ``current``. Without any, a
/// helper's release is the end of its test.
///
/// Checks run in the order in which they were added, and report through
/// ``Reporter/tellLeftover(_:)``: what is left over in a test that has failed may follow from that
/// failure, and is added as a remark.
package final class EndOfTest: Sendable {
  /// The end of the Swift Testing test that runs in this task, if anything knows when it comes.
  @TaskLocal package static var current: EndOfTest?

  /// Whether what the test has started came to rest before the checks.
  package struct Rest: Sendable {
    /// The tasks that did not, one per line; nil if all did, if nobody asked, and if nobody can tell.
    package var unrest: String?
    /// How much real time they were given.
    package var patience: Duration = .zero
  }

  /// What is waited for after the test's tasks have come to rest; it must come to an end by itself.
  package struct Settling: Sendable {
    let settle: @Sendable () async -> Void
    let settleHere: @Sendable () -> Void

    /// `settleHere` is for a synchronous caller, on the main thread mostly, whose run loop it serves.
    package init(
      _ settle: @escaping @Sendable () async -> Void,
      here settleHere: (@Sendable () -> Void)? = nil
    ) {
      self.settle = settle
      self.settleHere = settleHere ?? { waitHere(for: settle) }
    }
  }

  private struct Entry: Sendable {
    let waitsForRest: @Sendable () -> Bool
    let settling: Settling?
    let check: @Sendable (Rest) -> Void
  }

  private struct State {
    /// Nil once the end has come.
    var entries: [Entry]? = []
    var failures = FailureCount()
  }

  private let state = Locked(State())

  package init() {}

  /// Keeps a check for the end; false if that has passed.
  ///
  /// If `waitsForRest` says so at the end, the tasks that the test has started first come to rest, as
  /// `settle` has it. `settling` is awaited after that.
  @discardableResult
  package func add(
    waitsForRest: @autoclosure @escaping @Sendable () -> Bool = false, settling: Settling? = nil,
    _ check: @escaping @Sendable (Rest) -> Void
  ) -> Bool {
    let entry = Entry(waitsForRest: waitsForRest, settling: settling, check: check)
    return state.withLock { state in
      state.entries?.append(entry)
      return state.entries != nil
    }
  }

  /// Settles and checks, for an asynchronous caller. What is added later is refused.
  package func finish() async {
    let (waitsForRest, settlings) = wanted
    let rest = waitsForRest ? await Rest.reached() : Rest()
    for settling in settlings { await settling.settle() }
    check(rest)
  }

  /// Settles and checks, for a synchronous caller; on the main thread it serves the run loop
  /// meanwhile.
  package func finishHere() {
    let (waitsForRest, settlings) = wanted
    let rest = waitsForRest ? Rest.reachedHere() : Rest()
    for settling in settlings { settling.settleHere() }
    check(rest)
  }

  private var wanted: (waitsForRest: Bool, settlings: [Settling]) {
    let entries = state.withLock { $0.entries?.map { $0 } } ?? []
    return (entries.contains { $0.waitsForRest() }, entries.compactMap(\.settling))
  }

  private func check(_ rest: Rest) {
    for entry in state.withLock({ $0.entries.take() }) ?? [] { entry.check(rest) }
  }

  // MARK: The test's failures

  func noteFailure() { state.withLock { $0.failures.all += 1 } }

  /// Whether the test has failed by something else than leftovers.
  var hasFailed: Bool { state.withLock { $0.failures.hasOthers } }

  func noteLeftover(_ fail: () -> Void) {
    let before = state.withLock { $0.failures.all }
    fail()
    state.withLock { $0.failures.noteLeftover(since: before) }
  }
}

/// How often a test has failed, and how often by what was left over at its end.
struct FailureCount: Sendable {
  var all = 0
  private var leftovers = 0

  var hasOthers: Bool { all > leftovers }

  /// Notes that a leftover was told, if it was counted: somebody may have expected it.
  mutating func noteLeftover(since before: Int) { if all > before { leftovers += 1 } }
}

/// Waits as a synchronous XCTest test may: what is to run on the main thread goes on running.
func waitHere(for body: @escaping @Sendable () async -> Void) {
  let hasEnded = Locked(false)
  let end = DispatchSemaphore(value: 0)
  Task {
    await body()
    hasEnded.withLock { $0 = true }
    end.signal()
    DispatchQueue.main.async {}  // wakes the run loop
  }
  guard Thread.isMainThread else { return end.wait() }
  while !hasEnded.withLock({ $0 }) {
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
  }
}
