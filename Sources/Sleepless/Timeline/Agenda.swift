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
      a.instant != b.instant ? a.instant < b.instant : a.order < b.order
    }

    @inline(__always)
    static func == (a: Slot, b: Slot) -> Bool { a.order == b.order }
  }

  private(set) var now = Instant.start
  private var heap = Heap<Slot>()
  private var shells = 0
  private var ranks: Ranks
  private var jitter: SeededGenerator?

  init(_ options: Timeline.Options) {
    ranks = Ranks(options.order)
    if case .seeded(let seed) = options.jitter { jitter = SeededGenerator(seed: seed) }
  }

  // MARK: Adding

  mutating func add(_ item: ScheduledItem) {
    heap.insert(slot(for: item))
  }

  private mutating func slot(for item: ScheduledItem) -> Slot {
    var instant = item.nominal
    if item.tolerance > .zero, jitter != nil {
      instant = instant.advanced(by: .random(upTo: item.tolerance, using: &jitter!))
    }
    instant = max(instant, now)
    return Slot(
      instant: instant, order: ranks.next(for: item, at: instant), item: .passRetained(item))
  }

  // MARK: Taking

  enum Step {
    /// Run this, now.
    case run(ScheduledItem, ScheduledItem.Work, at: Instant)
    /// Nothing more is due within the pass.
    case reached
    /// The step limit is used up, and this would be next.
    case exceeded(ScheduledItem)
  }

  /// Takes what is due next in a pass and moves `now` to its instant. The next occurrence of
  /// repeating work is enqueued just before the current one runs (T2).
  mutating func next(in pass: inout Pass) -> Step {
    // When shuffled, what is too new for the pass can lie before what is not.
    var tooNew: [Slot] = []
    defer { for slot in tooNew { heap.insert(slot) } }
    while let slot = nextSlot() {
      guard pass.reaches(slot) else { break }
      guard pass.includes(slot) else {
        tooNew.append(heap.popMin())
        continue
      }
      let item = slot.item._withUnsafeGuaranteedRef { $0 }
      guard pass.counts(slot, nextSequence: ranks.sequence) else { return .exceeded(item) }
      now = slot.instant
      if let interval = item.interval {
        item.nominal = item.nominal.advanced(by: interval)
        heap.replaceMin(with: self.slot(for: item))
        slot.item.release()
        return .run(item, item.work!, at: slot.instant)
      }
      item.state = .done
      let work = item.work!
      item.work = nil
      return .run(heap.popMin().item.takeRetainedValue(), work, at: slot.instant)
    }
    if let target = pass.target, target > now { now = target }
    return .reached
  }

  /// The place of what is due next. Drops the shells that lie before it.
  private mutating func nextSlot() -> Slot? {
    while let slot = heap.min {
      if slot.item._withUnsafeGuaranteedRef({ $0.state == .pending }) { return slot }
      shells -= 1
      heap.popMin().item.release()
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
    if shells > 32, shells * 2 > heap.count {
      heap.filter { slot in
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
    let pending = pending
    for slot in heap.unordered { slot.item.release() }
    heap.removeAll()
    shells = 0
    return pending
  }

  /// What is still to come, in the order in which it will run. O(n log n).
  var pending: [(item: ScheduledItem, instant: Instant)] {
    heap.unordered.filter { $0.item._withUnsafeGuaranteedRef { $0.state == .pending } }
      .sorted()
      .map { ($0.item.takeUnretainedValue(), $0.instant) }
  }

  /// How many places are taken, by shells too.
  var storedCount: Int { heap.count }

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
