import VirtualTime

/// The blocks that wait for their deadlines before serial queues get them.
///
/// A serial queue gets its blocks in the order of their deadlines, and of two with one deadline first the one that was
/// submitted first: outside simulations time passes between the two calls. Between other blocks with one deadline the
/// timeline decides.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct DelayedBlocks {
  private struct Delayed {
    let work: QueueWork
    let due: Instant
  }

  /// The blocks of each serial queue, the next one last.
  private var blocks: [UInt: [Delayed]] = [:]

  mutating func add(_ work: QueueWork, until due: Instant) {
    guard work.path.isQueueSerial else { return }
    var delayed = blocks.removeValue(forKey: work.path.queue) ?? []
    // Mostly the new block is due after all others.
    let place = delayed.firstIndex { $0.due <= due } ?? delayed.endIndex
    delayed.insert(Delayed(work: work, due: due), at: place)
    blocks[work.path.queue] = delayed
  }

  /// Takes the next block of the queue of `work`, whose deadline has been reached.
  mutating func take(inPlaceOf work: QueueWork) -> QueueWork {
    let queue = work.path.queue
    guard let next = blocks[queue]?.popLast() else { return work }
    if blocks[queue]!.isEmpty { blocks[queue] = nil }
    return next.work
  }

  mutating func takeAll() -> [QueueWork] {
    defer { blocks = [:] }
    return blocks.values.flatMap { $0.map(\.work) }
  }
}
