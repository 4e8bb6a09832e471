import Sleepless

/// Decides who goes first at one instant.
///
/// A rank and, below it, a sequence number make one key. In order of enqueueing every rank is zero.
/// When shuffled, delayed work draws its rank at random; work that a queue got without a delay
/// keeps its order within that queue, because no serial queue would ever reorder it.
struct TieBreaker {
  private(set) var sequence: UInt64 = 0
  private var generator: SeededGenerator?
  /// Holds the queues, lest a new one at an old one's address draw otherwise than in the last run.
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
    // A quarter of the way at most, so that a long line does not crowd at the end.
    let rank = least + .random(in: 0..<max(1, (Self.limit - least) / 4), using: &generator!)
    latest[ObjectIdentifier(queue)] = (queue, instant, rank)
    return rank
  }

  /// The queues hold the timeline, which would otherwise hold itself.
  mutating func forgetQueues() { latest = [:] }

  /// The sequence number within a key.
  static func sequence(of order: UInt64) -> UInt64 { order & (1 << sequenceBits - 1) }
}
