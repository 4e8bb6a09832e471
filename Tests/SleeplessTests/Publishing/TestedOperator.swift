import Sleepless
import Testing
import TestSupport

/// An operator, applied to inputs that a test controls, and what its subscriber gets of some values.
///
/// The tables of all operators are in `TestedOperator+All.swift`, the rules in `OperatorRuleTests`.
struct TestedOperator: Sendable, CustomTestStringConvertible {
  /// Subscribes to the operator.
  typealias Subscribe =
    @Sendable (_ receive: @escaping @Sendable (Signal) -> Void) -> SubscriptionToken

  /// The declaration and, after a comma, what sets this row apart from others of the same declaration.
  let testDescription: String
  /// Applies the operator. The hook is what the operator's closure calls, if it has one.
  let make: @Sendable (OperatorInputs, Hook) -> Subscribe
  /// What comes of these values if the upstream then finishes, or does not.
  private let outputs: @Sendable (_ values: [Int], _ isFinished: Bool) -> [[Int]]

  /// The number of values after which the operator finishes by itself.
  var length: Int?
  /// False if the upstream's type is one that cannot fail.
  var canFail = true
  /// Whether values that follow one another without a pause may be dropped, or come in other groups than values with
  /// pauses.
  var dropsValues = false
  /// Whether all subscribers share one subscription, so that a later one does not get the current value.
  var isShared = false
  /// Whether a value is a list of the latest number of each input.
  var isCombination = false
  /// Whether the test's own closure, which the operator keeps, holds the publishers.
  var closureHoldsPublishers = false
  /// Sends a value to another input, from which the operator sends it on as it does those of the upstream.
  var sendToOther: (@Sendable (OperatorInputs, Int) -> Void)?

  /// An operator whose values are numbers.
  init(
    _ name: String,
    sends numbers: @escaping @Sendable ([Int]) -> [Int] = { $0 },
    _ make:
      @escaping @Sendable (OperatorInputs, Hook) -> some PublisherType<Int, some Error>
  ) {
    self.init(name, sends: { values, _ in numbers(values).map { [$0] } }, list: { [$0] }, make)
  }

  /// An operator whose values are shown as lists of numbers.
  init<P: PublisherType>(
    _ name: String,
    sends outputs: @escaping @Sendable (_ values: [Int], _ isFinished: Bool) -> [[Int]],
    list: @escaping @Sendable (P.Output) -> [Int],
    _ make: @escaping @Sendable (OperatorInputs, Hook) -> P
  ) {
    testDescription = name
    self.outputs = outputs
    self.make = { inputs, hook in
      let publisher = make(inputs, hook)
      return { receive in
        publisher.subscribe { completion in
          switch completion {
          case .finished: receive(.finished)
          case .failure: receive(.failed)
          }
        } receiveValue: {
          receive(.value(list($0)))
        }
      }
    }
  }

  /// The same row with changed properties.
  func with(_ change: (inout TestedOperator) -> Void) -> TestedOperator {
    var row = self
    change(&row)
    return row
  }

  /// The name of the function or of the publisher, without its parameters.
  var function: String { String(testDescription.prefix { $0 != "(" }) }

  // MARK: Subscribing

  /// Subscribes, and lets the scheduler run what the subscription has enqueued.
  func subscribe(
    _ receiver: Receiver, to inputs: OperatorInputs, hook: Hook = Hook()
  ) -> SubscriptionToken {
    let token = make(inputs, hook)(receiver.receive)
    inputs.settle()
    return token
  }

  // MARK: Expectations

  /// What a subscriber gets of these values and of the end after them, if there is one.
  func signals(of values: [Int], then end: Signal?) -> [String] {
    let outputs = outputs(values, end == .finished)
    let end = outputs.count == length ? .finished : end
    return outputs.map { Signal.value($0).text } + (end.map { [$0.text] } ?? [])
  }

  /// The upstream's values that are in the operator's values.
  func numbers(in outputs: [[Int]]) -> [Int] {
    guard isCombination else { return outputs.flatMap(\.self) }
    let before = [Array(repeating: 0, count: outputs.first?.count ?? 0)] + outputs
    return zip(before, outputs).flatMap { old, new in
      zip(old, new).filter { $0 != $1 }.map(\.1)
    }
  }

  /// The upstream's values that come of these values before the end.
  func numbers(of values: [Int]) -> [Int] { numbers(in: outputs(values, true)) }
}

/// An event of a tested operator.
enum Signal: Equatable, Sendable {
  /// One number, collected numbers, or the latest number of each input.
  case value([Int])
  case finished
  case failed

  /// `1` or `[1, 2]` for a value, `.` for the end, `!` for a failure.
  var text: String {
    switch self {
    case .value(let numbers): numbers.count == 1 ? "\(numbers[0])" : "\(numbers)"
    case .finished: "."
    case .failed: "!"
    }
  }

  var isValue: Bool { if case .value = self { true } else { false } }
}

/// What an operator's closure captures and calls.
final class Hook: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void = {}) { self.action = action }

  /// Returns its argument.
  func callAsFunction<Value>(_ value: Value) -> Value {
    action()
    return value
  }
}

/// A subscriber. It notes each event, and whether one comes during the call for another.
final class Receiver: Sendable {
  private let received = Log<Signal>()
  private let calls = Locked(0)
  private let overlapped = Locked(false)
  private let work: @Sendable (Signal) -> Void
  /// Happens with the end or the failure.
  let end = Event()

  /// The closure is called in the call for each event.
  init(then work: @escaping @Sendable (Signal) -> Void = { _ in }) { self.work = work }

  func receive(_ signal: Signal) {
    let isAlone = calls.withLock { calls in
      calls += 1
      return calls == 1
    }
    if !isAlone { overlapped.withLock { $0 = true } }
    received.append(signal)
    work(signal)
    calls.withLock { $0 -= 1 }
    if !signal.isValue { end.happen() }
  }

  /// Whether a call came during another one.
  var hasOverlapped: Bool { overlapped.withLock { $0 } }

  /// The texts of the events.
  var signals: [String] { received.values.map(\.text) }

  /// The values.
  var outputs: [[Int]] {
    received.values.compactMap { if case .value(let numbers) = $0 { numbers } else { nil } }
  }
}
