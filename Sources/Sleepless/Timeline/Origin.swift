import Dispatch

/// Where work came from: its queue, its name and its line.
package struct Origin: Equatable, Sendable {
  package let queue: QueueTag
  package let label: String?
  package let place: Place

  package init(queue: QueueTag, label: String?, site: CallSite) {
    self.queue = queue
    self.label = label
    place = Place(site)
  }

  @inline(__always)
  package static func == (a: Origin, b: Origin) -> Bool {
    a.queue === b.queue && a.place == b.place && a.label == b.label
  }
}

/// One of the queues that share a timeline.
package final class QueueTag: Sendable {
  package let label: String?
  package let timeline: Timeline

  package init(_ label: String?, on timeline: Timeline) {
    self.label = label
    self.timeline = timeline
  }

  /// Enqueues work after a delay. See `Timeline.schedule`.
  package func schedule(
    _ work: consuming ScheduledItem.Work, after delay: Duration, every interval: Duration? = nil,
    tolerance: Duration = .zero, isImmediate: Bool = false, label: String? = nil, at site: CallSite
  ) -> ScheduledItem {
    timeline.schedule(
      work, after: delay, every: interval, tolerance: tolerance, isImmediate: isImmediate,
      origin: Origin(queue: self, label: label, site: site))
  }

  /// Enqueues work for when a group is empty. See `Timeline.schedule`.
  package func schedule(
    _ work: consuming ScheduledItem.Work, whenEmpty group: DispatchGroup, label: String?,
    at site: CallSite
  ) {
    timeline.schedule(
      work, whenEmpty: group, origin: Origin(queue: self, label: label, site: site))
  }
}

/// A file and a line in sixteen bytes, a quarter of a `CallSite`.
package struct Place: Equatable, @unchecked Sendable {
  // Unchecked because the pointer leads to the constant text of a literal.
  private let start: UnsafePointer<UInt8>
  private let count: UInt32
  private let number: UInt32

  init(_ site: CallSite) {
    start = site.fileID.utf8Start
    count = UInt32(site.fileID.utf8CodeUnitCount)
    number = UInt32(clamping: site.line)
  }

  package var fileID: String {
    String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  package var line: Int { Int(number) }
}
