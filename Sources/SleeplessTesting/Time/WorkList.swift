import VirtualTime

/// Work in virtual time in the order in which it runs: pending work, or the work that an advance has
/// run.
///
/// A collection of ``ScheduledWork``; prints one piece per line.
///
/// ```swift
/// let scheduler = TestScheduler()
/// scheduler.schedule(after: .seconds(2), label: "hide") {}
/// let ran = scheduler.run()
/// #expect(ran.map(\.label) == ["hide"])
/// ```
public struct WorkList: RandomAccessCollection, Sendable {
  private let records: WorkLog

  init(_ records: WorkLog) { self.records = records }

  init(_ records: [WorkRecord]) { self.records = WorkLog(records) }

  /// The position of the first piece.
  public var startIndex: Int { 0 }
  /// The position after the last piece.
  public var endIndex: Int { records.count }

  /// The piece of work at a position.
  ///
  /// ```swift
  /// let scheduler = TestScheduler("main", allowsPendingWork: true)
  /// scheduler.schedule(after: .seconds(1), every: .seconds(2), label: "tick") {}
  /// let tick = scheduler.pending[0]
  /// #expect(tick.interval == .seconds(2))
  /// #expect(tick.queue == "main")
  /// ```
  public subscript(position: Int) -> ScheduledWork {
    ScheduledWork(records[position])
  }
}

extension WorkList: CustomStringConvertible {
  /// One line for each of the first ten pieces, and how many more there are.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(allowsPendingWork: true)
  /// scheduler.schedule(after: .seconds(2), label: "hide") {}
  /// print(scheduler.pending)  // a line such as: at 2 s: "hide", BannerTests.swift:12
  /// ```
  public var description: String {
    guard !isEmpty else { return "  nothing" }
    let lines = prefix(10).map { "  \($0)" }
    let rest = count > 10 ? ["  ... and \(count - 10) more"] : []
    return (lines + rest).joined(separator: "\n")
  }
}
