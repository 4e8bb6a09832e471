import Sleepless

/// The calls of a gate, and how each one ended.
package struct GateState<Value: Sendable>: Sendable {
  package typealias Answer = Result<Value, any Error>
  package typealias Deliver = @Sendable (CallEnd<Value>) -> Void

  struct Call: Sendable {
    let arguments: String?
    let time: Duration
    /// Takes the answer. Nil before the call is held, and once the answer has been delivered.
    var deliver: Deliver?
    var end: End?
    /// When its task was cancelled. That ends the call, unless the gate ignores cancellation.
    var cancellation: Duration?
    /// Record whether it is cancelled.
    var watchers: [RecorderCore<Bool, Never>] = []
  }

  enum End: Sendable {
    case answered(Answer, at: Duration)
    case cancelled
    /// The test ended.
    case released
  }

  /// The actions after the end of a call, to perform without the lock.
  struct Consequence: Sendable {
    var deliver: Deliver?
    var watchers: [RecorderCore<Bool, Never>] = []
  }

  private(set) var calls: [Call] = []
  private(set) var isOver = false
  let ignoresCancellation: Bool

  package init(ignoresCancellation: Bool) { self.ignoresCancellation = ignoresCancellation }

  /// Numbers count from 1.
  subscript(number: Int) -> Call { calls[number - 1] }

  var inFlight: [Int] { calls.indices.filter { calls[$0].end == nil }.map { $0 + 1 } }

  /// Adds a call. If the gate has ended since it let the call in, the call has ended too.
  package mutating func enter(_ arguments: String?, at time: Duration) -> Int {
    calls.append(Call(arguments: arguments, time: time, end: isOver ? .released : nil))
    return calls.count
  }

  /// Keeps the closure that takes the answer; returns the end if the call has ended by now.
  package mutating func hold(_ number: Int, _ deliver: @escaping Deliver) -> CallEnd<Value>? {
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

  /// Adds a recorder of the cancellation; false if the call has ended or is cancelled.
  mutating func watch(_ number: Int, _ watcher: RecorderCore<Bool, Never>) -> Bool {
    guard calls[number - 1].end == nil, calls[number - 1].cancellation == nil else { return false }
    calls[number - 1].watchers.append(watcher)
    return true
  }

  /// Ends the gate; returns the calls still in flight, nil if it has ended before.
  package mutating func close() -> [Int]? {
    guard !isOver else { return nil }
    isOver = true
    return inFlight
  }
}
