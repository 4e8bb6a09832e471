/// A piece of work in virtual time: one that waits for its turn, or one that has run.
public struct ScheduledWork: Sendable {
  /// When it is due, or was; nil if it is never due.
  public let deadline: Duration?
  /// How often it repeats; nil if it runs once.
  public let interval: Duration?
  /// The name given to it, if any.
  public let label: String?
  /// The name of the queue it was given to, if any.
  public let queue: String?
  /// Where it was scheduled; for a task asleep on a ``TestClock``, where the clock was made.
  public let site: CallSite

  /// The file in which it was scheduled, as `#fileID` gives it.
  public var fileID: String { site.fileID.description }
  /// The line on which it was scheduled.
  public var line: Int { Int(site.line) }

  init(_ item: ScheduledItem, at instant: Instant) {
    deadline = instant == .never ? nil : instant.duration
    interval = item.interval
    label = item.origin.label
    queue = item.origin.queue.label
    site = item.origin.site
  }
}

extension ScheduledWork: CustomStringConvertible {
  /// The deadline, the name, and where it was scheduled:
  /// `at 1.5 seconds: "debounce", SearchModel.swift:42`.
  public var description: String {
    var text = deadline.map { "at \($0.shortDescription)" } ?? "never"
    if let interval { text += ", every \(interval.shortDescription)" }
    text += ":"
    if let label { text += " \"\(label)\"," }
    if let queue { text += " on queue \"\(queue)\"," }
    return text + " \(site)"
  }
}

extension Duration {
  /// The duration in its largest whole unit, without trailing zeros: `1.5 s`, `300 ms`, `2 ns`.
  var shortDescription: String {
    let (seconds, attoseconds) = components
    if attoseconds == 0 { return "\(seconds) s" }
    if seconds != 0 { return Self.decimal(seconds, attoseconds, digits: 18) + " s" }
    for (unit, digits) in [("ms", 15), ("µs", 12), ("ns", 9), ("ps", 6), ("fs", 3)] {
      let scale = (0..<digits).reduce(Int64(1)) { scale, _ in scale * 10 }
      if abs(attoseconds) >= scale {
        return Self.decimal(attoseconds / scale, attoseconds % scale, digits: digits) + " \(unit)"
      }
    }
    return "\(attoseconds) as"
  }

  private static func decimal(_ whole: Int64, _ fraction: Int64, digits: Int) -> String {
    let sign = whole < 0 || fraction < 0 ? "-" : ""
    var tail = String(fraction.magnitude)
    tail = String(repeating: "0", count: digits - tail.count) + tail
    while tail.hasSuffix("0") { tail.removeLast() }
    return sign + "\(whole.magnitude)" + (tail.isEmpty ? "" : "." + tail)
  }
}
