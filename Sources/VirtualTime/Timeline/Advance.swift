import Sleepless

/// One go along the timeline: how far it reaches, and how much may keep coming back (T7).
///
/// Work that was there before does not count, however much it is. Counted is what was enqueued
/// while the pass stood at the same instant or, without a target, since the pass began.
struct Advance {
  /// Where to stop; nil: when nothing is left.
  let target: Instant?
  /// Runs only what was enqueued before this number; nil: everything.
  var enqueuedBefore: UInt64?
  let limit: Int

  /// Where what was taken last, and is running now, came from; the log holds it.
  private(set) var running: Unmanaged<WorkSource>?
  private var instant = Instant.never
  /// Everything that was taken, in order.
  private(set) var ran = WorkLog()
  private var firstNew: UInt64 = 0
  private var counted = 0

  init(target: Instant?, limit: Int, enqueuedBefore: UInt64? = nil) {
    // At `never` itself nothing is due, not even at once.
    self.target = target.map { min($0, .last) }
    self.limit = limit
    self.enqueuedBefore = enqueuedBefore
  }

  /// Whether its instant is on the way.
  func reaches(_ slot: EventQueue.Slot) -> Bool { slot.instant <= target ?? .last }

  /// Whether it was enqueued early enough.
  func includes(_ slot: EventQueue.Slot) -> Bool {
    guard let enqueuedBefore else { return true }
    return TieBreaker.sequence(of: slot.order) < enqueuedBefore
  }

  /// Counts a step; false if the limit is used up.
  @inline(__always)
  mutating func counts(_ slot: EventQueue.Slot, nextSequence: UInt64) -> Bool {
    if running == nil || (target != nil && slot.instant != instant) {
      firstNew = nextSequence
      counted = 0
    }
    instant = slot.instant
    guard TieBreaker.sequence(of: slot.order) > firstNew else { return true }
    counted += 1
    return counted <= limit
  }

  /// Notes what was counted as taken.
  @inline(__always)
  mutating func takes(_ source: Unmanaged<WorkSource>) {
    running = source
    source._withUnsafeGuaranteedRef { ran.append($0, at: instant) }
  }
}
