import Sleepless

/// The pending work of a timeline, ordered by instant and, at one instant, by the tie breaker.
///
/// It decides and returns what to do; `Timeline` does it after unlocking. Enqueueing and taking cost
/// O(log n), cancelling O(1): a cancelled item becomes a tombstone, which is removed when its turn comes or
/// when tombstones are the majority. To remove each cancelled item at once would take `cancel` from 14
/// nanoseconds to 106 microseconds (`Benchmarks/compare`, release).
struct EventQueue {
  /// An item's place in the order. It is trivial, so that the heap moves plain words.
  struct Slot: Comparable {
    let instant: Instant
    let order: UInt64
    let item: WorkItem.Pointer

    @inline(__always)
    static func < (a: Slot, b: Slot) -> Bool {
      a.instant.isLess(than: b.instant, ifEqual: a.order < b.order)
    }

    @inline(__always)
    static func == (a: Slot, b: Slot) -> Bool { a.order == b.order }
  }

  private(set) var now = Instant.start
  private let store = WorkStore()
  private var queue = PriorityQueue<Slot>(sortDescending: Slot.sortDescending)
  private var tombstones = 0
  private var prefetched = 0  // the result of `prefetch`, which the compiler would otherwise remove
  private var tieBreaker: TieBreaker
  private var jitter: SeededGenerator?

  init(_ options: Timeline.Options) {
    tieBreaker = TieBreaker(options.order)
    if case .seeded(let seed) = options.jitter { jitter = SeededGenerator(seed: seed) }
  }

  // MARK: Adding

  /// Stores work that `add` enqueues later.
  @inline(__always)
  func keep(
    _ work: consuming Work, timing: Timing? = nil, isImmediate: Bool = false, source: WorkSource
  ) -> WorkItem.Pointer {
    store.keep(work, timing: timing, isImmediate: isImmediate, source: source)
  }

  /// Enqueues an item; an instant in the past means now (T5).
  @inline(__always)
  mutating func add(_ item: WorkItem.Pointer, at nominal: Instant) {
    item.pointee.timing?.nominal = nominal
    enqueue(item, at: nominal)
  }

  @inline(__always)
  private mutating func enqueue(_ item: WorkItem.Pointer, at nominal: Instant) {
    let instant = max(now, jitter == nil ? nominal : delayed(item, from: nominal))
    queue.insert(Slot(instant: instant, order: tieBreaker.next(for: item, at: instant), item: item))
  }

  @inline(never)
  private mutating func delayed(
    _ item: WorkItem.Pointer, from nominal: Instant
  ) -> Instant {
    guard let tolerance = item.pointee.timing?.tolerance, tolerance.isPositive else {
      return nominal
    }
    return nominal.advanced(by: .random(upTo: tolerance, using: &jitter!))
  }

  // MARK: Taking

  enum Step {
    /// Run this, now.
    case run(Work)
    /// Nothing more is due within the advance.
    case reached
    /// The step limit is used up; work from this source would be next.
    case exceeded(WorkSource)
  }

  /// Takes the work that is due next in an advance, and moves `now` to its instant. The next occurrence of
  /// repeating work is enqueued just before the current one runs (T2).
  @inline(__always)
  mutating func next(in advance: inout Advance) -> Step {
    guard let slot = nextSlot(), advance.reaches(slot) else {
      if let target = advance.target, target > now { now = target }
      return .reached
    }
    guard advance.includes(slot) else { return nextOldEnough(in: &advance) }
    guard advance.counts(slot, nextSequence: tieBreaker.sequence) else {
      return .exceeded(slot.item.pointee.source.takeUnretainedValue())
    }
    now = slot.instant
    if queue.sortedCount & (Self.stride - 1) == 0, queue.sortedCount > 0 { prefetch() }
    queue.popMin()
    return .run(start(slot.item, in: &advance))
  }

  @inline(__always)
  private mutating func start(
    _ item: WorkItem.Pointer, in advance: inout Advance
  ) -> Work {
    advance.takes(item.pointee.source)
    let (work, next) = item.pointee.start()
    if let next { enqueue(item, at: next) } else { store.free(item) }
    return work
  }

  /// When shuffled, items that are too new for the advance can lie before items that are not.
  @inline(never)
  private mutating func nextOldEnough(in advance: inout Advance) -> Step {
    var tooNew: [Slot] = []
    while let slot = nextSlot(), advance.reaches(slot), !advance.includes(slot) {
      tooNew.append(queue.popMin())
    }
    defer { for slot in tooNew { queue.insert(slot) } }
    return next(in: &advance)
  }

  /// How many items are prefetched together; a power of two.
  private static let stride = 16

  /// Reads the next few items, so that they are in the cache. With a million pending none would be. Read
  /// together they take as long as one. Read in turn, each would wait until the one before has run, as the
  /// processor does not read ahead across a lock. Without it `schedule+run 1M` takes a third longer
  /// (`Benchmarks/compare`, release).
  @inline(never)
  private mutating func prefetch() {
    var sum = 0
    queue.forEachUpcoming(Self.stride) { slot in
      // The first and the last of an item's variables may be in different cache lines.
      sum &+=
        (slot.item.pointee.state == .pending ? 1 : 0)
        &+ (slot.item.pointee.nextFree == nil ? 1 : 0)
    }
    prefetched = sum
  }

  /// The slot of the work that is due next. Removes the tombstones before it.
  @inline(__always)
  private mutating func nextSlot() -> Slot? {
    while let slot = queue.min {
      if slot.item.pointee.state == .pending { return slot }
      tombstones -= 1
      store.free(queue.popMin().item)
    }
    return nil
  }

  /// When something is due next; nil if nothing is pending.
  var nextInstant: Instant? { mutating get { nextSlot()?.instant } }

  /// Where time moves to if it moves to what is due next; the present if nothing will be due.
  var nextTarget: Instant {
    mutating get {
      guard let next = nextInstant, next != .never else { return now }
      return next
    }
  }

  // MARK: Cancelling

  /// Whether the token's work is pending: has not run, or repeats.
  func isPending(_ token: WorkToken) -> Bool {
    token.item.pointee.generation == token.generation && token.item.pointee.state == .pending
  }

  /// Returns the item's work, to be released after unlocking; nil if it was too late.
  mutating func cancel(_ token: WorkToken) -> Work? {
    guard isPending(token) else { return nil }
    token.item.pointee.state = .cancelled
    let work = token.item.pointee.work.take()
    tombstones += 1
    if tombstones > 32, tombstones * 2 > queue.count {
      queue.filter { slot in
        let isPending = slot.item.pointee.state == .pending
        if !isPending { store.free(slot.item) }
        return isPending
      }
      tombstones = 0
    }
    return work
  }

  /// Removes all items. Returns the pending ones in order, and their work, to be released after unlocking.
  mutating func removeAll() -> (left: [WorkRecord], works: [Work]) {
    tieBreaker.forgetQueues()
    guard storedCount > 0 else { return ([], []) }
    let left = pending.map { WorkRecord($0.item, at: $0.instant) }
    let works = queue.unordered.compactMap { remove($0.item) }
    queue.removeAll()
    tombstones = 0
    return (left, works)
  }

  /// Frees an item that is not enqueued, and returns its work.
  func remove(_ item: WorkItem.Pointer) -> Work? {
    defer { store.free(item) }
    return item.pointee.work.take()
  }

  /// The pending items, in the order in which they will run. O(n log n).
  var pending: [(item: WorkItem.Pointer, instant: Instant)] {
    queue.unordered.filter { $0.item.pointee.state == .pending }.sorted()
      .map { ($0.item, $0.instant) }
  }

  /// How many items are pending.
  var count: Int { queue.count - tombstones }

  /// How many slots are in use, those of tombstones too.
  var storedCount: Int { queue.count }

  /// How many items are stored, those that are not enqueued too.
  var keptCount: Int { store.count }

  /// Whether free items hold zeros; see `WorkStore`.
  var isClean: Bool { store.isClean }

  /// The sequence number of the item that was enqueued last.
  var sequence: UInt64 { tieBreaker.sequence }
}

extension Duration {
  /// A duration from zero up to and including the limit, in whole nanoseconds.
  fileprivate static func random(
    upTo limit: Duration, using generator: inout SeededGenerator
  ) -> Duration {
    .nanoseconds(Int64.random(in: 0...limit.clampedNanoseconds, using: &generator))
  }
}
