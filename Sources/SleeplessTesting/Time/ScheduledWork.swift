import VirtualTime

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
  /// The file in which it was scheduled, as `#fileID` gives it; for a task asleep on a
  /// ``TestClock``, the one in which the clock was made.
  public let fileID: String
  /// The line on which it was scheduled; for a task asleep on a ``TestClock``, the one on which the
  /// clock was made.
  public let line: Int

  init(_ record: WorkRecord) {
    deadline = record.instant == .never ? nil : record.instant.duration
    interval = record.interval
    label = record.label
    queue = record.queue
    fileID = record.place.fileID
    line = record.place.line
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
    return text + " \(fileID.split(separator: "/").last ?? ""):\(line)"
  }
}
