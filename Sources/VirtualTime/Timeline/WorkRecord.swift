import Sleepless

/// A description of a piece of work that is pending or has run.
package struct WorkRecord: Sendable {
  package let instant: Instant
  package let source: WorkSource

  package var label: String? { source.label }
  package var queue: String? { source.queue.label }
  package var place: Place { source.place }
  package var interval: Duration? { source.interval }

  init(_ item: WorkItem.Pointer, at instant: Instant) {
    self.init(item.pointee.source.takeUnretainedValue(), at: instant)
  }

  package init(_ source: WorkSource, at instant: Instant) {
    self.instant = instant
    self.source = source
  }
}
