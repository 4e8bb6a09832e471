import Sleepless
import TestSupport
import VirtualTime

/// A timeline whose work writes down its name and the second at which it ran: `a@1 b@2`.
final class RunLog: Sendable {
  let timeline: Timeline
  private let log = Log<String>()

  init(_ options: Timeline.Options = Timeline.Options()) { timeline = Timeline(options) }

  var text: String { log.values.joined(separator: " ") }

  /// The second that the timeline has reached.
  var now: Int { Int((timeline.now.duration / .seconds(1)).rounded(.down)) }

  func write(_ text: String) { log.append("\(text)@\(now)") }

  /// Schedules work that writes its name and then calls the given function.
  @discardableResult
  func schedule(
    _ name: String, after delay: Duration = .zero, every interval: Duration? = nil,
    then work: @escaping @Sendable () -> Void = {}
  ) -> WorkToken {
    timeline.schedule(name, after: delay, every: interval) {
      self.write(name)
      work()
    }
  }
}

extension Timeline {
  @discardableResult
  func schedule(
    _ label: String = "work", after delay: Duration = .zero, every interval: Duration? = nil,
    tolerance: Duration = .zero, on queue: TimelineQueue? = nil,
    _ work: @escaping @Sendable () -> Void = {}
  ) -> WorkToken {
    (queue ?? TimelineQueue(nil, on: self)).schedule(
      .function(work), after: delay, every: interval, tolerance: tolerance,
      isImmediate: queue != nil, label: label, at: CallSite())
  }

  var pendingLabels: [String] { pending.map { $0.label ?? "?" } }
}

extension Timeline.End {
  /// The case and the label of the work in it.
  var text: String {
    switch self {
    case .reached: "reached"
    case .isPast(let now): "past at \(now.duration)"
    case .exceeded(let source): "exceeded by \(source.label ?? "?")"
    case .interrupted: "interrupted"
    case .tooDeep: "too deep"
    case .occupied(let source): "occupied by \(source?.label ?? "nobody")"
    }
  }
}

extension Instant {
  init(seconds: Int) { self.init(.seconds(seconds)) }
}
