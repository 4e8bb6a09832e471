import Sleepless

/// The calls that a gate has taken, and what became of each.
struct GateState<Value: Sendable>: Sendable {
  typealias Answer = Result<Value, any Error>
  typealias Deliver = @Sendable (CallEnd<Value>) -> Void

  struct Call: Sendable {
    let arguments: String?
    let time: Duration
    /// Nil before the call has left what takes its answer, and once that has been called.
    var deliver: Deliver?
    var end: End?
    /// When its task was cancelled, which ends it unless the gate ignores cancellation.
    var cancellation: Duration?
    /// Those who wait for its cancellation.
    var watchers: [RecorderCore<Bool, Never>] = []
  }

  enum End: Sendable {
    case answered(Answer, at: Duration)
    case cancelled
    /// Ended because its test did.
    case released
  }

  /// What has to be done, without the lock, after a call has come to its end.
  struct Consequence: Sendable {
    var deliver: Deliver?
    var watchers: [RecorderCore<Bool, Never>] = []
  }

  private(set) var calls: [Call] = []
  private(set) var isOver = false
  let ignoresCancellation: Bool

  init(ignoresCancellation: Bool) { self.ignoresCancellation = ignoresCancellation }

  /// Numbers count from 1.
  subscript(number: Int) -> Call { calls[number - 1] }

  var inFlight: [Int] { calls.indices.filter { calls[$0].end == nil }.map { $0 + 1 } }

  mutating func enter(_ arguments: String?, at time: Duration) -> Int {
    calls.append(Call(arguments: arguments, time: time))
    return calls.count
  }

  /// Keeps what takes the answer; returns the answer if the call has ended by now.
  mutating func hold(_ number: Int, _ deliver: @escaping Deliver) -> CallEnd<Value>? {
    switch calls[number - 1].end {
    case nil:
      calls[number - 1].deliver = deliver
      return nil
    case .answered(let answer, _): return CallEnd(answer)
    case .cancelled, .released: return .cancelled
    }
  }

  /// Ends a call; nil if it has ended before.
  mutating func end(_ number: Int, _ end: End) -> Consequence? {
    guard calls[number - 1].end == nil else { return nil }
    calls[number - 1].end = end
    return Consequence(
      deliver: calls[number - 1].deliver.take(), watchers: takeWatchers(number))
  }

  mutating func cancel(_ number: Int, at time: Duration) -> Consequence {
    guard calls[number - 1].end == nil, calls[number - 1].cancellation == nil else {
      return Consequence()
    }
    calls[number - 1].cancellation = time
    if ignoresCancellation { return Consequence(watchers: takeWatchers(number)) }
    return end(number, .cancelled) ?? Consequence()
  }

  private mutating func takeWatchers(_ number: Int) -> [RecorderCore<Bool, Never>] {
    defer { calls[number - 1].watchers = [] }
    return calls[number - 1].watchers.map { $0 }
  }

  /// Adds somebody to be told of the cancellation; false if the call is past that.
  mutating func watch(_ number: Int, _ watcher: RecorderCore<Bool, Never>) -> Bool {
    guard calls[number - 1].end == nil, calls[number - 1].cancellation == nil else { return false }
    calls[number - 1].watchers.append(watcher)
    return true
  }

  /// Ends the gate; returns the calls still in flight, nil if it has ended before.
  mutating func close() -> [Int]? {
    guard !isOver else { return nil }
    isOver = true
    return inFlight
  }
}
