import Sleepless

/// A piece of work, as a timeline keeps it until it has run for the last time.
///
/// It is small, and what running it needs comes first: with many pending, time goes into fetching
/// memory.
struct WorkItem {
  /// Where a timeline keeps it.
  typealias Pointer = UnsafeMutablePointer<WorkItem>

  enum State: UInt8 {
    case free  // no work at all, only a place for some
    case pending  // waits for its next or only run
    case cancelled  // still lies on the agenda, which will skip it
  }

  var work: Work?
  var state: State
  /// Whether it was enqueued without a delay; a serial queue never reorders such work.
  let isImmediate: Bool
  /// Grows whenever the place becomes free, so that old tokens find out. It would take four thousand
  /// million pieces of work in this one place for a token to be mistaken.
  var generation: UInt32
  /// Used by this item, which has to say when it is over; see `WorkSource.beginUse()`.
  let source: Unmanaged<WorkSource>
  var timing: Timing?
  /// The next free place, if this is one.
  var nextFree: Pointer?

  /// Returns what to run now, and when the next occurrence is due, before tolerance; nil: never.
  @inline(__always)
  mutating func start() -> (work: Work, next: Instant?) {
    guard let timing, let interval = source._withUnsafeGuaranteedRef({ $0.interval }) else {
      return (work.take()!, nil)
    }
    timing.nominal = timing.nominal.advanced(by: interval)
    return (work!, timing.nominal)
  }
}

/// What work needs that repeats or may be late; most items have none.
final class Timing {
  let tolerance: Duration
  /// When the item is due, before tolerance: the multiples of the interval do not drift.
  var nominal = Instant.start

  private init(tolerance: Duration) { self.tolerance = tolerance }

  /// Nil where nothing is out of the ordinary; a failing initialiser would allocate first.
  static func make(every interval: Duration?, tolerance: Duration) -> Timing? {
    guard interval != nil || tolerance.isPositive else { return nil }
    return Timing(tolerance: tolerance)
  }
}
