import Sleepless

/// Decides which item goes first at one instant.
///
/// A key consists of a rank and, in the lower bits, a sequence number. In order of enqueueing every rank is
/// zero. When shuffled, the rank of delayed work is random. Work without a delay keeps its order within its
/// queue, because no serial queue reorders it.
struct TieBreaker {
  private(set) var sequence: UInt64 = 0
  private var generator: SeededGenerator?
  /// The latest rank of each queue. The queues are retained: a new queue at the address of an old one would
  /// get other ranks, and so another order, than in the run before.
  private var latest: [ObjectIdentifier: (queue: TimelineQueue, instant: Instant, rank: UInt64)] =
    [:]

  static let sequenceBits: UInt64 = 44
  private static let limit: UInt64 = 1 << (64 - sequenceBits)

  init(_ order: Timeline.Options.Order) {
    if case .shuffled(let seed) = order { generator = SeededGenerator(seed: seed) }
  }

  mutating func next(for item: WorkItem.Pointer, at instant: Instant) -> UInt64 {
    sequence += 1
    guard generator != nil else { return sequence }
    return draw(for: item, at: instant) << Self.sequenceBits | sequence
  }

  private mutating func draw(for item: WorkItem.Pointer, at instant: Instant) -> UInt64 {
    guard item.pointee.isImmediate else { return .random(in: 0..<Self.limit, using: &generator!) }
    let queue = item.pointee.source.takeUnretainedValue().queue
    var least: UInt64 = 0
    if let last = latest[ObjectIdentifier(queue)], last.instant == instant { least = last.rank }
    // At most a quarter of the range that is left, so that many items do not crowd at its end.
    let rank = least + .random(in: 0..<max(1, (Self.limit - least) / 4), using: &generator!)
    latest[ObjectIdentifier(queue)] = (queue, instant, rank)
    return rank
  }

  /// Releases the queues, which retain the timeline: it would otherwise retain itself.
  mutating func forgetQueues() { latest = [:] }

  /// The sequence number within a key.
  static func sequence(of order: UInt64) -> UInt64 { order & (1 << sequenceBits - 1) }
}
