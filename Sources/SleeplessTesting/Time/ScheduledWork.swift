import VirtualTime

/// A piece of work in virtual time, pending or run.
///
/// ```swift
/// let scheduler = TestScheduler(allowsPendingWork: true)
/// scheduler.schedule(after: .seconds(2), label: "hide") {}
/// #expect(scheduler.pending.first?.deadline == .seconds(2))
/// ```
public struct ScheduledWork: Sendable {
  /// When it is or was due; nil if it is never due.
  public let deadline: Duration?
  /// How often it repeats; nil if it runs once.
  ///
  /// ```swift
  /// let scheduler = TestScheduler("main", allowsPendingWork: true)
  /// scheduler.schedule(after: .seconds(1), every: .seconds(2), label: "tick") {}
  /// let tick = scheduler.pending[0]
  /// #expect(tick.interval == .seconds(2))
  /// #expect(tick.queue == "main")
  /// ```
  public let interval: Duration?
  /// Its name, if it has one.
  public let label: String?
  /// The name of its queue, if that has one.
  ///
  /// ```swift
  /// let scheduler = TestScheduler("main", allowsPendingWork: true)
  /// scheduler.schedule(after: .seconds(1), every: .seconds(2), label: "tick") {}
  /// let tick = scheduler.pending[0]
  /// #expect(tick.interval == .seconds(2))
  /// #expect(tick.queue == "main")
  /// ```
  public let queue: String?
  /// The file in which it was scheduled, as `#fileID` gives it; for a task asleep on a
  /// ``TestClock``, the file in which the clock was made.
  public let fileID: String
  /// The line on which it was scheduled; for a task asleep on a ``TestClock``, the line on which
  /// the clock was made.
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
  /// `at 1.5 s: "debounce", SearchModel.swift:42`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(allowsPendingWork: true)
  /// scheduler.schedule(after: .seconds(2), label: "hide") {}
  /// print(scheduler.pending)  // a line such as: at 2 s: "hide", BannerTests.swift:12
  /// ```
  public var description: String {
    var text = deadline.map { "at \($0.shortDescription)" } ?? "never"
    if let interval { text += ", every \(interval.shortDescription)" }
    text += ":"
    if let label { text += " \"\(label)\"," }
    if let queue { text += " on queue \"\(queue)\"," }
    return text + " \(fileID.split(separator: "/").last ?? ""):\(line)"
  }
}
