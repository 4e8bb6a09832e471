/// One go along the timeline: how far it reaches, and how much may keep coming back (T7).
///
/// Work that was there before does not count, however much it is. Counted is what was enqueued
/// while the pass stood at the same instant or, without a target, since the pass began.
struct Pass {
  /// Where to stop; nil: when nothing is left.
  let target: Instant?
  /// Runs only what was enqueued before this number; nil: everything.
  var enqueuedBefore: UInt64?
  let limit: Int

  /// What was taken last, which is running now, and its instant. The pass owns a reference to it,
  /// until the next is taken or it ends.
  private(set) var running: Unmanaged<ScheduledItem>?
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
  func reaches(_ slot: Agenda.Slot) -> Bool { slot.instant <= target ?? .last }

  /// Whether it was enqueued early enough.
  func includes(_ slot: Agenda.Slot) -> Bool {
    guard let enqueuedBefore else { return true }
    return Ranks.sequence(of: slot.order) < enqueuedBefore
  }

  /// Counts a step; false if the limit is used up.
  @inline(__always)
  mutating func counts(_ slot: Agenda.Slot, nextSequence: UInt64) -> Bool {
    if running == nil || (target != nil && slot.instant != instant) {
      firstNew = nextSequence
      counted = 0
    }
    instant = slot.instant
    guard Ranks.sequence(of: slot.order) > firstNew else { return true }
    counted += 1
    return counted <= limit
  }

  /// Takes what was counted, and with it the reference to it. What ran before it is freed here,
  /// under the lock, unless somebody holds the token: its work is long gone, so nobody's code runs.
  @inline(__always)
  mutating func takes(_ item: Unmanaged<ScheduledItem>) {
    running?.release()
    running = item
    item._withUnsafeGuaranteedRef { ran.append($0.origin, at: instant) }
  }

  /// Lets go of what was taken last, once nobody looks for it any more.
  mutating func end() {
    running?.release()
    running = nil
  }
}
