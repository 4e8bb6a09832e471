import Sleepless

/// Moves a scheduler's time on until a condition is true; fails the test if it does not become true.
///
/// In this example, the model loads on the scheduler; the call returns when it has loaded:
///
/// ```swift
/// eventually(advancing: scheduler) { model.state == .loaded }
/// ```
///
/// The condition is evaluated at once and after each instant at which something was due. It fails as
/// soon as nothing is pending any more or virtual time would pass the limit. It waits for no real time.
/// - Parameters:
///   - description: What the condition is, for the failure's text.
///   - limit: The most virtual time that it may take.
///   - start: The earliest time at which it may become true.
///   - scheduler: The scheduler whose time moves.
///   - failFast: Ends the wait with a failure when it returns true.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - condition: The condition. An error means "not yet".
public func eventually(
  _ description: String? = nil, within limit: Duration? = nil, notBefore start: Duration = .zero,
  advancing scheduler: TestScheduler, failFast: (() -> Bool)? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ condition: () throws -> Bool
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .eventually(description, limit, start), at: site)
  waiter?.evaluate(advancing: scheduler, failFast) { Evaluation(isTrue: try condition()) }
}

/// Moves a scheduler's time on, and fails the test if a condition does not hold meanwhile.
///
/// The condition is evaluated at once and after each instant at which something was due.
///
/// It waits for no real time. When it has passed, time has moved on by the duration at least.
///
/// ```swift
/// banner.show("Saved")  // for 3 s
/// always(during: .milliseconds(2_900), advancing: scheduler) { banner.text == "Saved" }
/// #expect(scheduler.now == .milliseconds(2_900))  // at 3 s the condition would be false
/// ```
public func always(
  _ description: String? = nil, during duration: Duration, within limit: Duration? = nil,
  notBefore start: Duration = .zero, advancing scheduler: TestScheduler,
  failFast: (() -> Bool)? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ condition: () throws -> Bool
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .always(description, duration, limit, start), at: site)
  waiter?.evaluate(advancing: scheduler, failFast) { Evaluation(isTrue: try condition()) }
}

/// Moves a scheduler's time on, and fails the test if a condition becomes true meanwhile.
///
/// The condition is evaluated at once and after each instant at which something was due.
///
/// It waits for no real time. When it has passed, time has moved on by the duration at least.
///
/// ```swift
/// banner.show("Saved")  // for 3 s
/// scheduler.advance(by: .seconds(3))
/// never(during: .seconds(60), advancing: scheduler) { banner.text == "Saved" }
/// #expect(scheduler.now == .seconds(63))
/// ```
public func never(
  _ description: String? = nil, during duration: Duration, within limit: Duration? = nil,
  notBefore start: Duration = .zero, advancing scheduler: TestScheduler,
  failFast: (() -> Bool)? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ condition: () throws -> Bool
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .never(description, duration, limit, start), at: site)
  waiter?.evaluate(advancing: scheduler, failFast) { Evaluation(isFalse: try !condition()) }
}

extension ConditionWaiter {
  /// Evaluates the condition again and again; in between it moves the scheduler to the next instant at
  /// which something is due.
  fileprivate func evaluate(
    advancing scheduler: TestScheduler, _ failFast: (() -> Bool)?,
    _ evaluate: () throws -> Evaluation<Void>
  ) {
    let strategy = SchedulerWaitStrategy(scheduler)
    begin(with: strategy)
    var last: WakeReason?
    while true {
      willEvaluate()
      let (end, deadline) = noteEvaluation(Self.result(of: evaluate))
      switch end {
      case .passed: return
      case .failed(let failure): return fail(failure)
      case nil: break
      }
      if let last { return fail(.unfulfilled(last)) }
      if let failFast, failFast() { return fail(.failedFast) }
      guard let next = strategy.move(by: deadline, limit: plan.limit, at: site) else {
        return fail(.reported)
      }
      if next != .change && next != .deadline { last = next }
    }
  }
}

/// Moves a scheduler's time from one instant at which something is due to the next.
private final class SchedulerWaitStrategy: WaitStrategy {
  let isVirtual = true
  private let owner: TimelineOwner
  private let start: Duration
  private let moves = Locked(0)

  init(_ scheduler: TestScheduler) {
    owner = scheduler.owner
    start = scheduler.now
  }

  var now: Duration { owner.timeline.now.duration - start }

  /// Runs the work that is due next, up to the deadline or the limit. At the limit the wait ends. Nil if
  /// the scheduler has given up and failed the test.
  func move(by deadline: Duration?, limit: Duration?, at site: CallSite) -> WakeReason? {
    let count = moves.withLock { moves in
      moves += 1
      return moves
    }
    // With a repeating timer the wait would otherwise never end (T7).
    guard count <= owner.timeline.options.stepLimit else {
      return .nothingMore(
        "time has moved \(count - 1) times, and work keeps coming: limit it, within:")
    }
    let target = (deadline ?? limit).map { start.saturatingAdding($0) }
    guard let due = owner.timeline.nextInstant?.duration, due <= target ?? due else {
      guard let target, deadline != nil || owner.timeline.nextInstant != nil else {
        return .nothingMore("nothing is pending on the scheduler any more")
      }
      _ = owner.advance(.to(target), at: site)
      return deadline == nil ? .silent(limit ?? .zero) : .deadline
    }
    _ = owner.advance(.to(due), at: site)
    // Then work keeps coming at this instant.
    let isStuck = owner.timeline.nextInstant.map { $0.duration <= due } ?? false
    return isStuck ? nil : .change
  }

  func willEvaluate() {}
  func next(by deadline: Duration?) async -> WakeReason { .change }
  func cancel() {}
  func stop() {}
}
