import SleeplessSimulation
import VirtualTime

/// The tasks that are asleep on the clocks of one time, and the calls that wait for sleepers.
///
/// It decides and returns what to resume; the clock resumes it after unlocking.
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

    /// The number of its task, if that cannot be followed until it comes to rest.
    let unfollowedTask: UInt64?
    fileprivate var state = State.created

    init(unfollowedTask: UInt64?) { self.unfollowedTask = unfollowedTask }

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

  /// What a call waits for.
  enum Goal: Sendable {
    /// At least so many tasks are asleep.
    case count(Int)
    /// Each unfollowed task that was woken is asleep again.
    case noneAwake
  }

  final class Waiter: Sendable {
    let goal: Goal
    let verdict = OneShotContinuation<Verdict>()

    init(_ goal: Goal) { self.goal = goal }
  }

  enum Verdict: Equatable, Sendable {
    case arrived, timedOut, cancelled
    /// For so long nothing in the process could put a task to sleep.
    case atRest(Duration)
  }

  private var asleep: [ObjectIdentifier: Sleeper] = [:]
  private var waiting: [ObjectIdentifier: Waiter] = [:]
  /// The unfollowed tasks that were woken and have not fallen asleep again.
  private(set) var awake: Set<UInt64> = []
  /// Counts the sleeps that begin and end, and each use by the test.
  private(set) var changes = 0

  var count: Int { asleep.count }
  var tokens: [WorkToken] { asleep.values.compactMap(\.token) }

  /// Notes that the test uses the clock: that it advances, or waits for sleepers.
  mutating func noteUseByTest() { changes += 1 }

  /// No longer counts on the woken tasks to fall asleep again.
  mutating func forgetAwake() { awake.removeAll(keepingCapacity: true) }

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
      if let task = sleeper.unfollowedTask { awake.remove(task) }
      return nil
    case .woken: return .returning(continuation)
    case .cancelled: return .throwing(continuation)
    case .asleep: fatalError("A sleeper was registered twice.")
    }
  }

  mutating func wake(_ sleeper: Sleeper) -> Wake? {
    switch sleeper.state {
    case .created:
      sleeper.state = .woken
      noteWake(of: sleeper)
      return nil
    case .asleep(let continuation, _):
      sleeper.state = .woken
      asleep[ObjectIdentifier(sleeper)] = nil
      noteWake(of: sleeper)
      return .returning(continuation)
    case .woken, .cancelled: return nil
    }
  }

  private mutating func noteWake(of sleeper: Sleeper) {
    changes += 1
    if let task = sleeper.unfollowedTask { awake.insert(task) }
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

  /// Registers a waiter; false if its goal is reached already.
  mutating func add(_ waiter: Waiter) -> Bool {
    if isReached(waiter.goal) { return false }
    waiting[ObjectIdentifier(waiter)] = waiter
    return true
  }

  mutating func remove(_ waiter: Waiter) { waiting[ObjectIdentifier(waiter)] = nil }

  private func isReached(_ goal: Goal) -> Bool {
    switch goal {
    case .count(let least): count >= least
    case .noneAwake: awake.isEmpty
    }
  }

  /// Removes and returns the waiters whose goal is reached.
  mutating func arrivals() -> [Waiter] {
    let arrived = waiting.values.filter { isReached($0.goal) }
    for waiter in arrived { remove(waiter) }
    return arrived
  }
}
