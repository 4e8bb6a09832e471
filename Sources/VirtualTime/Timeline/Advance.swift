import Sleepless

/// One run of a timeline up to a target, with its step limit (T7).
///
/// Work that was enqueued before the advance does not count towards the limit. Work counts that was enqueued
/// at the same instant as it runs or, without a target, since the advance began.
struct Advance {
  /// The instant to stop at; nil to run until nothing is left.
  private(set) var target: Instant?
  /// Whether the limit holds for each instant, and not for the whole advance.
  private let isLimitedByInstant: Bool
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
    isLimitedByInstant = target != nil
    self.limit = limit
    self.enqueuedBefore = enqueuedBefore
  }

  /// Makes an instant the one to stop at for now.
  mutating func stop(at instant: Instant) { target = instant }

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
    if running == nil || (isLimitedByInstant && slot.instant != instant) {
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

/// An advance that stops at each instant at which something is due, so that other code can run there.
///
/// The step limit holds for all steps together, as it does for an advance without stops.
package struct SteppedAdvance {
  /// The instant at which the last step ends; nil to go on until nothing is left.
  let target: Instant?
  var advance: Advance
  /// Whether the first step has been taken. The target of later ones may be past: another thread may have moved time.
  var hasBegun = false

  /// The work that the steps have run, in order.
  package var ran: WorkLog { advance.ran }

  init(target: Instant?, limit: Int) {
    advance = Advance(target: target, limit: limit)
    self.target = advance.target
  }
}
