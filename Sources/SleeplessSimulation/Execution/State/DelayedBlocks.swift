import VirtualTime

/// The blocks that wait for their deadlines before serial queues get them.
///
/// A serial queue gets its blocks in the order of their deadlines, and of two with one deadline first the one that was
/// submitted first: outside simulations time passes between the two calls. Between other blocks with one deadline the
/// timeline decides.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct DelayedBlocks {
  private struct Delayed: Comparable {
    let work: QueueWork
    let due: Instant
    /// How many delayed blocks of serial queues had been submitted before.
    let number: Int

    static func < (one: Self, other: Self) -> Bool {
      one.due == other.due ? one.number < other.number : one.due < other.due
    }

    static func == (one: Self, other: Self) -> Bool { one.number == other.number }
  }

  /// The blocks of each serial queue.
  private var blocks = [UInt: Heap<Delayed>]()
  private var submitted = 0

  mutating func add(_ work: QueueWork, until due: Instant) {
    guard work.path.isQueueSerial else { return }
    blocks[work.path.queue, default: Heap()].insert(
      Delayed(work: work, due: due, number: submitted))
    submitted += 1
  }

  /// Takes the next block of the queue of `work`, whose deadline has been reached.
  mutating func take(inPlaceOf work: QueueWork) -> QueueWork {
    let queue = work.path.queue
    guard let next = blocks[queue]?.popMin() else { return work }
    if blocks[queue]!.count == 0 { blocks[queue] = nil }
    return next.work
  }

  /// Takes all blocks, in the order in which they were submitted.
  mutating func takeAll() -> [QueueWork] {
    defer { blocks = [:] }
    return blocks.values.flatMap(\.unordered).sorted { $0.number < $1.number }.map(\.work)
  }
}
