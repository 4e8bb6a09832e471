import Sleepless

/// The token that cancels a piece of work on a timeline.
///
/// It is a value, so that it costs no allocation: the address of an item, and a number that tells whether the
/// item still holds the same work.
package struct WorkToken: CancellableType, @unchecked Sendable {
  // Unchecked because the item is only read under the lock of the timeline.

  let timeline: Timeline
  let item: WorkItem.Pointer
  let generation: UInt32

  package func cancel() { timeline.cancel(self) }
}

extension WorkToken: Hashable {
  package static func == (a: Self, b: Self) -> Bool {
    a.item == b.item && a.generation == b.generation
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(item)
    hasher.combine(generation)
  }
}
