import Sleepless

/// The token that cancels a piece of work on a timeline.
///
/// A value, so that it costs no allocation: it knows where the timeline keeps the work, and a number
/// that tells whether what is there now still is that work.
package struct WorkToken: CancellableType, @unchecked Sendable {
  // Unchecked because the item is only looked at under the lock of the timeline.

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
