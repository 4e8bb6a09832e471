/// A piece of work on a timeline, and the token that cancels it: the one allocation that scheduling
/// costs.
package final class ScheduledItem: CancellableType, @unchecked Sendable {
  // Unchecked because the variables below are only touched under the lock of `timeline`.

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

  /// What a caller says about its work.
  package struct Origin: Sendable {
    package let queue: QueueTag
    package let label: String?
    package let site: CallSite

    package init(queue: QueueTag, label: String?, site: CallSite) {
      self.queue = queue
      self.label = label
      self.site = site
    }
  }

  package let origin: Origin
  package let interval: Duration?
  package let tolerance: Duration
  /// Whether it was enqueued without a delay; a serial queue never reorders such work.
  package let isImmediate: Bool
  private let timeline: Timeline

  var state = State.pending
  var work: Work?
  /// When it is due, before tolerance: the multiples of the interval do not drift.
  var nominal: Instant

  init(
    _ work: Work, at nominal: Instant, every interval: Duration?, tolerance: Duration,
    isImmediate: Bool, origin: Origin, timeline: Timeline
  ) {
    self.work = work
    self.nominal = nominal
    self.interval = interval
    self.tolerance = tolerance
    self.isImmediate = isImmediate
    self.origin = origin
    self.timeline = timeline
  }

  package func cancel() { timeline.cancel(self) }

  /// Calls it off and returns what it held, to be released after unlocking.
  func takeWork() -> Work? {
    state = .cancelled
    let taken = work
    work = nil
    return taken
  }
}

/// Names one of the queues that share a timeline.
package final class QueueTag: Sendable {
  package let label: String?

  package init(_ label: String?) { self.label = label }
}
