import Sleepless
import Testing

/// The result of one evaluation of a condition.
enum Evaluation<Value> {
  case fulfilled(Value)
  /// With the value, as text.
  case unfulfilled(String)
  case threw(String)

  var isFulfilled: Bool { if case .fulfilled = self { true } else { false } }

  /// The value or the error as text, and whether it was an error. It calls the user's code.
  var text: (String?, isError: Bool) {
    switch self {
    case .fulfilled(let value): (Value.self == Void.self ? nil : eventText(of: value), false)
    case .unfulfilled(let text): (text, false)
    case .threw(let text): (text, true)
    }
  }
}

/// The results of a condition's evaluations with their times, the latest ten in full.
struct EvaluationHistory: Sendable {
  private struct EvaluationRecord: Sendable {
    let time: Duration
    let text: String
    var count = 1
  }

  private static let shown = 10

  private var history: [EvaluationRecord] = []
  private var before = 0
  private(set) var count = 0

  /// Whether all evaluations so far had the same result.
  var isUniform: Bool { history.count == 1 && before == 0 }

  /// Adds a result. A result that repeats is kept once, with the time of its first evaluation.
  mutating func add(_ text: String, at time: Duration) {
    count += 1
    if history.last?.text == text {
      history[history.count - 1].count += 1
    } else {
      history.append(EvaluationRecord(time: time, text: text))
      if history.count > Self.shown {
        history.removeFirst()
        before += 1
      }
    }
  }

  func list(_ time: (Duration) -> String) -> String {
    let lines = history.map { record in
      let times = record.count == 1 ? "" : " x\(record.count)"
      return EventLine(time: time(record.time), text: record.text + times, isUnread: false)
    }
    return EventLine.list(lines, before: before)
  }
}
