/// What is told of a piece of work: of one that waits for its turn, or of one that has run.
package struct WorkRecord: Sendable {
  /// What all work that is scheduled by one call, time and again, has in common.
  struct Source: Equatable {
    let origin: Origin
    let interval: Duration?

    init(_ item: ScheduledItem) {
      origin = item.origin
      interval = item.timing?.interval
    }

    /// Whether it equals `Source(item)`, without making one.
    @inline(__always)
    func isSource(of item: ScheduledItem) -> Bool {
      origin == item.origin && interval == item.timing?.interval
    }
  }

  package let instant: Instant
  let source: Source

  package var label: String? { source.origin.label }
  package var queue: String? { source.origin.queue.label }
  package var place: Place { source.origin.place }
  package var interval: Duration? { source.interval }

  package init(_ item: ScheduledItem, at instant: Instant) {
    self.init(Source(item), at: instant)
  }

  init(_ source: Source, at instant: Instant) {
    self.instant = instant
    self.source = source
  }
}
