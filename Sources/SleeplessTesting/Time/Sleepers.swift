import SleeplessSimulation
import VirtualTime

/// The tasks that are asleep on the clocks of one time, and the calls that wait for sleepers.
///
/// It decides and returns the continuations to resume; the clock resumes them after unlocking.
struct Sleepers {
  /// One call of `sleep`. It ends by waking or by cancellation, whichever comes first.
  final class Sleeper: @unchecked Sendable {
    // Unchecked because the state is only used under the lock of the `Sleepers`.
    enum State {
      case created  // not asleep yet; it can be woken or cancelled before there is a continuation
      case asleep(CheckedContinuation<Void, any Error>, WorkToken)
      case woken
      case cancelled
    }

    let task: UInt64?
    fileprivate var state = State.created

    init(task: UInt64?) { self.task = task }

    fileprivate var token: WorkToken? {
      if case .asleep(_, let token) = state { token } else { nil }
    }
  }

  /// How a sleep ends.
  enum Wake {
    case returning(CheckedContinuation<Void, any Error>)
    case throwing(CheckedContinuation<Void, any Error>, any Error = CancellationError())

    func callAsFunction() {
      switch self {
      case .returning(let continuation): continuation.resume()
      case .throwing(let continuation, let error): continuation.resume(throwing: error)
      }
    }
  }

  final class Waiter: Sendable {
    let count: Int
    init(count: Int) { self.count = count }
  }

  enum Verdict: Sendable { case arrived, timedOut, cancelled }

  private var asleep: [ObjectIdentifier: Sleeper] = [:]
  private var waiting: [ObjectIdentifier: (Waiter, CheckedContinuation<Verdict, Never>)] = [:]
  /// Verdicts that came before the waiters' continuations.
  private var settled: [ObjectIdentifier: Verdict] = [:]
  /// The value of `now` in each task that the latest advance has woken.
  private var presents: [UInt64: Present] = [:]
  /// How many advances are under way, nested or waiting for each other.
  private var advances = 0
  /// The next sleeps of tasks that an advance under way has woken; they begin after it.
  private var late: [@Sendable () -> Void] = []
  private let remembersPresents: Bool
  /// Counts all changes here, and each advance.
  private(set) var changes = 0

  init(remembersPresents: Bool) { self.remembersPresents = remembersPresents }

  private struct Present {
    let instant: Instant
    let passes: Int  // sleeps since then that ended without moving it
  }

  var count: Int { asleep.count }
  var tokens: [WorkToken] { asleep.values.compactMap(\.token) }

  // MARK: The `now` of a woken task

  mutating func beginAdvance() {
    changes += 1
    if advances == 0 { presents.removeAll(keepingCapacity: true) }
    advances += 1
  }

  /// Returns the actions to perform now, in order.
  mutating func endAdvance() -> [@Sendable () -> Void] {
    changes += 1
    advances -= 1
    guard advances == 0, !late.isEmpty else { return [] }
    defer { late = [] }
    return late
  }

  /// Postpones a task's next sleep to the end of the advance that has woken it, if that is under way. So
  /// the result does not depend on the speed of the task's thread. A sleep whose deadline has passed is
  /// not postponed, because work of the advance may be waiting for the task.
  mutating func postpone(
    _ sleeper: Sleeper, isOver: Bool, _ fallAsleep: @escaping @Sendable () -> Void
  ) -> Bool {
    guard advances > 0, !isOver, present(of: sleeper.task) != nil else { return false }
    late.append(fallAsleep)
    return true
  }

  func present(of task: UInt64?) -> Instant? {
    guard let task else { return nil }
    return presents[task]?.instant
  }

  /// The `now` of the calling task, if an advance has woken it; nil also outside of tasks.
  var presentOfCurrentTask: Instant? {
    // Usually no task has one. Finding the calling task takes longer than the rest of reading the time:
    // "record in virtual time" in Benchmarks/compare.
    presents.isEmpty ? nil : present(of: currentTaskID())
  }

  /// Whether a sleep whose deadline has passed may end at once; false after too many such sleeps without
  /// progress (T7).
  func mayPass(_ sleeper: Sleeper, limit: Int) -> Bool {
    (sleeper.task.flatMap { presents[$0]?.passes } ?? 0) < limit
  }

  /// Notes that a sleep ended at once.
  mutating func pass(_ sleeper: Sleeper, to deadline: Instant) {
    guard let task = sleeper.task, let present = presents[task] else { return }
    presents[task] =
      deadline > present.instant
      ? Present(instant: deadline, passes: 0)
      : Present(instant: present.instant, passes: present.passes + 1)
  }

  // MARK: Falling asleep and waking

  /// Registers a sleeper; if its wake or cancellation came first, returns the end of its sleep.
  mutating func fallAsleep(
    _ sleeper: Sleeper, _ continuation: CheckedContinuation<Void, any Error>, _ token: WorkToken
  ) -> Wake? {
    switch sleeper.state {
    case .created:
      sleeper.state = .asleep(continuation, token)
      asleep[ObjectIdentifier(sleeper)] = sleeper
      changes += 1
      if let task = sleeper.task { presents[task] = nil }
      return nil
    case .woken: return .returning(continuation)
    case .cancelled: return .throwing(continuation)
    case .asleep: fatalError("A sleeper was registered twice.")
    }
  }

  mutating func wake(_ sleeper: Sleeper, at instant: Instant) -> Wake? {
    switch sleeper.state {
    case .created:
      sleeper.state = .woken
      remember(instant, as: sleeper)
      return nil
    case .asleep(let continuation, _):
      sleeper.state = .woken
      asleep[ObjectIdentifier(sleeper)] = nil
      changes += 1
      remember(instant, as: sleeper)
      return .returning(continuation)
    case .woken, .cancelled: return nil
    }
  }

  private mutating func remember(_ instant: Instant, as sleeper: Sleeper) {
    guard remembersPresents, let task = sleeper.task else { return }
    presents[task] = Present(instant: instant, passes: 0)
  }

  mutating func cancel(_ sleeper: Sleeper) -> (token: WorkToken, wake: Wake)? {
    switch sleeper.state {
    case .created:
      sleeper.state = .cancelled
      return nil
    case .asleep(let continuation, let token):
      sleeper.state = .cancelled
      asleep[ObjectIdentifier(sleeper)] = nil
      changes += 1
      return (token, .throwing(continuation))
    case .woken, .cancelled: return nil
    }
  }

  /// Ends all sleeps with an error.
  mutating func cancelAll(_ error: any Error) -> [(token: WorkToken, wake: Wake)] {
    asleep.values.compactMap { sleeper in
      guard let (token, wake) = cancel(sleeper), case .throwing(let continuation, _) = wake else {
        return nil
      }
      return (token, .throwing(continuation, error))
    }
  }

  // MARK: Waiting for sleepers

  /// Registers a waiter, or returns its verdict if that is known.
  mutating func wait(
    _ waiter: Waiter, _ continuation: CheckedContinuation<Verdict, Never>
  ) -> Verdict? {
    if let verdict = settled.removeValue(forKey: ObjectIdentifier(waiter)) { return verdict }
    if count >= waiter.count { return .arrived }
    changes += 1
    waiting[ObjectIdentifier(waiter)] = (waiter, continuation)
    return nil
  }

  /// Removes and returns the waiters for which enough tasks are asleep.
  mutating func arrivals() -> [CheckedContinuation<Verdict, Never>] {
    let arrived = waiting.filter { count >= $0.value.0.count }
    for key in arrived.keys { waiting[key] = nil }
    return arrived.values.map { $0.1 }
  }

  /// Removes and returns a waiter that was cancelled or has timed out.
  mutating func giveUp(
    _ waiter: Waiter, _ verdict: Verdict
  ) -> CheckedContinuation<Verdict, Never>? {
    if let (_, continuation) = waiting.removeValue(forKey: ObjectIdentifier(waiter)) {
      return continuation
    }
    settled[ObjectIdentifier(waiter)] = verdict
    return nil
  }

  mutating func forget(_ waiter: Waiter) { settled[ObjectIdentifier(waiter)] = nil }
}
