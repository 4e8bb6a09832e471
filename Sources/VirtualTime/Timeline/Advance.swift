import Sleepless

/// One run of a timeline up to a target, with its step limit (T7).
///
/// Work that was enqueued before the advance does not count towards the limit. Work counts that was enqueued
/// at the same instant as it runs or, without a target, since the advance began.
struct Advance {
  /// The instant to stop at; nil to run until nothing is left.
  let target: Instant?
  /// Only work with a lower sequence number runs; nil for all work.
  var enqueuedBefore: UInt64?
  let limit: Int

  /// The source of the running work, which was taken last; the log retains it.
  private(set) var running: Unmanaged<WorkSource>?
  private var instant = Instant.never
  /// The work that was taken, in order.
  private(set) var ran = WorkLog()
  private var firstNew: UInt64 = 0
  private var counted = 0

  init(target: Instant?, limit: Int, enqueuedBefore: UInt64? = nil) {
    // Nothing is due at `never`.
    self.target = target.map { min($0, .last) }
    self.limit = limit
    self.enqueuedBefore = enqueuedBefore
  }

  /// Whether the slot's instant is not after the target.
  func reaches(_ slot: EventQueue.Slot) -> Bool { slot.instant <= target ?? .last }

  /// Whether the slot was enqueued early enough.
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

  /// Notes that work of a source was taken.
  @inline(__always)
  mutating func takes(_ source: Unmanaged<WorkSource>) {
    running = source
    source._withUnsafeGuaranteedRef { ran.append($0, at: instant) }
  }
}
