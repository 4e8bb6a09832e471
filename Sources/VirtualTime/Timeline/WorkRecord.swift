import Sleepless

/// What is told of a piece of work: of one that waits for its turn, or of one that has run.
package struct WorkRecord: Sendable {
  package let instant: Instant
  package let origin: Origin

  package var label: String? { origin.label }
  package var queue: String? { origin.queue.label }
  package var place: Place { origin.place }
  package var interval: Duration? { origin.interval }

  init(_ item: WorkItem.Pointer, at instant: Instant) {
    self.init(item.pointee.origin.takeUnretainedValue(), at: instant)
  }

  package init(_ origin: Origin, at instant: Instant) {
    self.instant = instant
    self.origin = origin
  }
}
