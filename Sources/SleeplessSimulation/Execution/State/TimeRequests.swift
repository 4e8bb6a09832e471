import VirtualTime

/// The requests of tasks, and one of a synchronous test, to move time or to wait until everything is at
/// rest.
struct TimeRequests {
  typealias Continuation = UnsafeContinuation<Void, Never>

  /// The request for which a synchronous test drives its simulation.
  enum HostRequest {
    /// After `lastMove` moves of time it is met, whether everything is at rest or not.
    case settle(lastMove: Int)
    case settleAtThisInstant
    case advance(to: Instant)
    /// No more than that time may move so far, where it is moved by hand: code of the test waits so long, or has moved
    /// time and waits for a job that blocks the main thread.
    case move(upTo: Instant)

    /// What is left of it while a job blocks the main thread: the test cannot go on before the job does.
    var whileMainThreadIsBlocked: HostRequest? {
      switch self {
      case .advance(let instant), .move(let instant): .move(upTo: instant)
      case .settle, .settleAtThisInstant: nil
      }
    }
  }

  /// A call of `settle`.
  struct Settle {
    let number: Int
    /// After so many moves of time the call is over, whether everything is at rest or not.
    let lastMove: Int
    let continuation: Continuation
  }

  /// The calls of `settle`, which wait until everything is at rest.
  private(set) var settles: [Settle] = []
  private var settleCount = 0
  /// The calls that are over because time has moved too often, until they return.
  private var restlessSettles: Set<Int> = []
  /// The calls that wait only until no task can run at this instant.
  var settlesAtThisInstant: [Continuation] = []
  /// The calls of `advance`, which wait for an instant.
  var advances: [(target: Instant, continuation: Continuation)] = []
  /// The request of a synchronous test. It is met when the driver stops with `.end(.finished)`.
  var host: HostRequest?
  /// Whether that request is met because time has moved too often.
  var isHostRestless = false

  /// The first instant that time has to reach, even if nothing is due then.
  var target: Instant? {
    let target = advances.lazy.map(\.target).min()
    guard case .advance(let instant) = host else { return target }
    return min(target ?? instant, instant)
  }

  /// How far time may move by hand although nothing has to be reached.
  var limit: Instant? { if case .move(let instant) = host { instant } else { nil } }

  /// The number for the next call of `settle`.
  mutating func nextSettle() -> Int {
    settleCount += 1
    return settleCount
  }

  mutating func add(_ settle: Settle) { settles.append(settle) }

  /// Takes the call with that number, if it still waits.
  mutating func takeSettle(_ number: Int) -> Continuation? {
    let index = settles.firstIndex { $0.number == number }
    return index.map { settles.remove(at: $0).continuation }
  }

  mutating func takeSettles() -> [Continuation] {
    defer { settles = [] }
    return settles.map(\.continuation)
  }

  /// Takes the calls for which time has moved as often as it may.
  mutating func takeSettles(after moves: Int) -> [Continuation] {
    let over = settles.filter { $0.lastMove <= moves }
    settles.removeAll { $0.lastMove <= moves }
    restlessSettles.formUnion(over.map(\.number))
    return over.map(\.continuation)
  }

  /// Whether the call with that number is over because time has moved too often. It is asked once.
  mutating func takeRestlessness(of number: Int) -> Bool { restlessSettles.remove(number) != nil }

  mutating func takeSettlesAtThisInstant() -> [Continuation] {
    defer { settlesAtThisInstant = [] }
    return settlesAtThisInstant
  }

  /// Takes the first call of `advance` with this target.
  mutating func takeAdvance(to target: Instant) -> Continuation? {
    let index = advances.firstIndex { $0.target == target }
    return index.map { advances.remove(at: $0).continuation }
  }

  /// Takes all requests of tasks.
  mutating func takeAll() -> [Continuation] {
    defer { advances = [] }
    return takeSettles() + takeSettlesAtThisInstant() + advances.map(\.continuation)
  }
}
