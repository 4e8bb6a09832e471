/// A piece of work on a timeline, and the token that cancels it: the one allocation that scheduling
/// costs.
///
/// It is kept small, and what running it needs comes first: with a million pieces pending, time
/// goes into fetching memory.
package final class ScheduledItem: CancellableType, @unchecked Sendable {
  // Unchecked because the two variables are only touched under the lock of the timeline.

  package enum Work {
    case function(@Sendable () -> Void)
    case block(@Sendable @convention(block) () -> Void)

    package func callAsFunction() {
      switch self {
      case .function(let function): function()
      case .block(let block): block()
      }
    }
  }

  package enum State {
    case pending  // waits on the agenda for its next or only run
    case done  // has been taken from the agenda to run, for the last time
    case cancelled  // may still lie on the agenda, which then skips it
  }

  var work: Work?
  var state = State.pending
  /// Whether it was enqueued without a delay; a serial queue never reorders such work.
  package let isImmediate: Bool
  let timing: Timing?
  package let origin: Origin

  init(
    _ work: consuming Work, timing: Timing? = nil, isImmediate: Bool = false, origin: Origin
  ) {
    self.work = work
    self.timing = timing
    self.isImmediate = isImmediate
    self.origin = origin
  }

  package func cancel() { origin.queue.timeline.cancel(self) }

  /// Returns what to run now, and when the next occurrence is due, before tolerance; nil: never.
  @inline(__always)
  func start() -> (work: Work, next: Instant?) {
    guard let timing, let interval = origin.interval else {
      state = .done
      return (work.take()!, nil)
    }
    timing.nominal = timing.nominal.advanced(by: interval)
    return (work!, timing.nominal)
  }

  /// Calls it off and returns what it held, to be released after unlocking.
  func takeWork() -> Work? {
    state = .cancelled
    return work.take()
  }
}

/// What work needs that repeats or may be late; most items have none.
final class Timing: @unchecked Sendable {
  // Unchecked because the variable is only touched under the lock of the timeline.

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
