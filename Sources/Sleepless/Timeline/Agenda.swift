/// The ordered agenda of a timeline: what is due when, and in which order at one instant.
///
/// It decides and returns what is to be done; whoever holds the lock does it after unlocking.
/// Enqueueing and taking cost O(log n), cancelling O(1): a cancelled item stays as an empty shell
/// until its turn comes or shells are the majority.
struct Agenda {
  /// An item's place. Trivial, so that the heap moves plain words; the agenda owns one reference.
  struct Slot: Comparable {
    let instant: Instant
    let order: UInt64
    let item: Unmanaged<ScheduledItem>

    @inline(__always)
    static func < (a: Slot, b: Slot) -> Bool {
      a.instant.isLess(than: b.instant, ifEqual: a.order < b.order)
    }

    @inline(__always)
    static func == (a: Slot, b: Slot) -> Bool { a.order == b.order }
  }

  private(set) var now = Instant.start
  private var queue = PriorityQueue<Slot>(sortDescending: Slot.sortDescending)
  private var shells = 0
  private var looked = 0  // what `lookAhead` saw, lest the compiler leaves out the looking
  private var ranks: Ranks
  private var jitter: SeededGenerator?

  init(_ options: Timeline.Options) {
    ranks = Ranks(options.order)
    if case .seeded(let seed) = options.jitter { jitter = SeededGenerator(seed: seed) }
  }

  // MARK: Adding

  /// Enqueues an item; an instant in the past means now (T5).
  @inline(__always)
  mutating func add(_ item: ScheduledItem, at nominal: Instant) {
    item.timing?.nominal = nominal
    enqueue(.passRetained(item), at: nominal)
  }

  /// Takes over a reference that the caller has added.
  @inline(__always)
  private mutating func enqueue(_ item: Unmanaged<ScheduledItem>, at nominal: Instant) {
    let instant = max(now, jitter == nil ? nominal : delayed(item, from: nominal))
    queue.insert(Slot(instant: instant, order: ranks.next(for: item, at: instant), item: item))
  }

  @inline(never)
  private mutating func delayed(
    _ item: Unmanaged<ScheduledItem>, from nominal: Instant
  ) -> Instant {
    guard let tolerance = item.takeUnretainedValue().timing?.tolerance, tolerance.isPositive else {
      return nominal
    }
    return nominal.advanced(by: .random(upTo: tolerance, using: &jitter!))
  }

  // MARK: Taking

  enum Step {
    /// Run this, now.
    case run(ScheduledItem.Work)
    /// Nothing more is due within the pass.
    case reached
    /// The step limit is used up, and this would be next.
    case exceeded(ScheduledItem)
  }

  /// Takes what is due next in a pass and moves `now` to its instant. The next occurrence of
  /// repeating work is enqueued just before the current one runs (T2).
  @inline(__always)
  mutating func next(in pass: inout Pass) -> Step {
    guard let slot = nextSlot(), pass.reaches(slot) else {
      if let target = pass.target, target > now { now = target }
      return .reached
    }
    guard pass.includes(slot) else { return nextOldEnough(in: &pass) }
    guard pass.counts(slot, nextSequence: ranks.sequence) else {
      return .exceeded(slot.item.takeUnretainedValue())
    }
    now = slot.instant
    if queue.sortedCount & (Self.stride - 1) == 0, queue.sortedCount > 0 { lookAhead() }
    queue.popMin()
    return .run(start(slot.item, in: &pass))
  }

  /// Leaves the queue's reference to the pass; a further occurrence gets its own.
  @inline(__always)
  private mutating func start(
    _ item: Unmanaged<ScheduledItem>, in pass: inout Pass
  ) -> ScheduledItem.Work {
    pass.takes(item)
    let (work, next) = item._withUnsafeGuaranteedRef { $0.start() }
    if let next { enqueue(item.retain(), at: next) }
    return work
  }

  /// When shuffled, what is too new for the pass can lie before what is not.
  @inline(never)
  private mutating func nextOldEnough(in pass: inout Pass) -> Step {
    var tooNew: [Slot] = []
    while let slot = nextSlot(), pass.reaches(slot), !pass.includes(slot) {
      tooNew.append(queue.popMin())
    }
    defer { for slot in tooNew { queue.insert(slot) } }
    return next(in: &pass)
  }

  /// How many items are looked at together; a power of two.
  private static let stride = 16

  /// Looks at the next few items. With a million pending none of them is in the cache: fetched
  /// together they take as long as one, fetched by turns each waits until the last one has run,
  /// since the processor does not read ahead across a lock. That was a fifth of the time.
  @inline(never)
  private mutating func lookAhead() {
    var sum = 0
    queue.forEachUpcoming(Self.stride) { slot in
      // The first and the last of an item's variables, which may be in different cache lines.
      sum &+= slot.item._withUnsafeGuaranteedRef {
        ($0.state == .pending ? 1 : 0) &+ Int(bitPattern: ObjectIdentifier($0.origin))
      }
    }
    looked = sum
  }

  /// The place of what is due next. Drops the shells that lie before it.
  @inline(__always)
  private mutating func nextSlot() -> Slot? {
    while let slot = queue.min {
      if slot.item._withUnsafeGuaranteedRef({ $0.state == .pending }) { return slot }
      shells -= 1
      queue.popMin().item.release()
    }
    return nil
  }

  /// When something is due next; nil if nothing is to come.
  var nextInstant: Instant? { mutating get { nextSlot()?.instant } }

  // MARK: Cancelling

  /// Returns what the item held, to be released after unlocking; nil if it was too late.
  mutating func cancel(_ item: ScheduledItem) -> ScheduledItem.Work? {
    guard item.state == .pending else { return nil }
    let work = item.takeWork()
    shells += 1
    if shells > 32, shells * 2 > queue.count {
      queue.filter { slot in
        let isPending = slot.item._withUnsafeGuaranteedRef { $0.state == .pending }
        if !isPending { slot.item.release() }
        return isPending
      }
      shells = 0
    }
    return work
  }

  /// Empties the agenda and returns what was still to come, in order; the items stay as they are.
  mutating func removeAll() -> [(item: ScheduledItem, instant: Instant)] {
    ranks.forgetQueues()
    guard storedCount > 0 else { return [] }
    let pending = pending
    for slot in queue.unordered { slot.item.release() }
    queue.removeAll()
    shells = 0
    return pending
  }

  /// What is still to come, in the order in which it will run. O(n log n).
  var pending: [(item: ScheduledItem, instant: Instant)] {
    queue.unordered.filter { $0.item._withUnsafeGuaranteedRef { $0.state == .pending } }
      .sorted()
      .map { ($0.item.takeUnretainedValue(), $0.instant) }
  }

  /// How many items are still to come.
  var count: Int { queue.count - shells }

  /// How many places are taken, by shells too.
  var storedCount: Int { queue.count }

  /// The number that the latest item to be enqueued got.
  var sequence: UInt64 { ranks.sequence }
}

extension Duration {
  /// A duration from zero up to and including the limit, in whole nanoseconds.
  fileprivate static func random(
    upTo limit: Duration, using generator: inout SeededGenerator
  ) -> Duration {
    .nanoseconds(Int64.random(in: 0...limit.clampedNanoseconds, using: &generator))
  }
}
