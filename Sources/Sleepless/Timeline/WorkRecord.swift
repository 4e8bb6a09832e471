/// What is told of a piece of work: of one that waits for its turn, or of one that has run.
package struct WorkRecord: Sendable {
  package let instant: Instant
  private let item: ScheduledItem

  package var label: String? { item.origin.label }
  package var queue: String? { item.origin.queue.label }
  package var place: Place { item.origin.place }
  package var interval: Duration? { item.timing?.interval }

  package init(_ item: ScheduledItem, at instant: Instant) {
    self.instant = instant
    self.item = item
  }
}
