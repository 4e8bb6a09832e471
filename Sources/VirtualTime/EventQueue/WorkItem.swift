import Sleepless

/// A piece of work in a timeline, until it has run for the last time.
///
/// It is small, and begins with the variables that running it reads: with many pending, most of the time
/// goes into fetching memory.
struct WorkItem {
  /// The address of an item, see `WorkStore`.
  typealias Pointer = UnsafeMutablePointer<WorkItem>

  enum State: UInt8 {
    case free  // holds no work
    case pending  // will run, once more or for the only time
    case cancelled  // a tombstone, which the event queue will skip
  }

  var work: Work?
  var state: State
  /// Whether it was enqueued without a delay; a serial queue never reorders such work.
  let isImmediate: Bool
  /// Grows whenever the item becomes free, so that an old token does not match. After 2^32 pieces of work
  /// in one item it would match again.
  var generation: UInt32
  /// Retained by `WorkSource.beginUse()`; freeing the item ends the use.
  let source: Unmanaged<WorkSource>
  var timing: Timing?
  /// The next free item, if this one is free.
  var nextFree: Pointer?

  /// Returns the work to run now, and when the next occurrence is due before tolerance; nil if there is
  /// none.
  @inline(__always)
  mutating func start() -> (work: Work, next: Instant?) {
    guard let timing, let interval = source._withUnsafeGuaranteedRef({ $0.interval }) else {
      return (work.take()!, nil)
    }
    timing.nominal = timing.nominal.advanced(by: interval)
    return (work!, timing.nominal)
  }
}

/// The timing of work that repeats or may be late; most items have none.
final class Timing {
  let tolerance: Duration
  /// When the item is due, before tolerance: the multiples of the interval do not drift.
  var nominal = Instant.start

  private init(tolerance: Duration) { self.tolerance = tolerance }

  /// Nil for work that neither repeats nor may be late. A failing initialiser would allocate first.
  static func make(every interval: Duration?, tolerance: Duration) -> Timing? {
    guard interval != nil || tolerance.isPositive else { return nil }
    return Timing(tolerance: tolerance)
  }
}
