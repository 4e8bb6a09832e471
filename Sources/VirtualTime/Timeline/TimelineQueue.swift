import Dispatch
import Sleepless

/// One of the queues that share a timeline.
package final class TimelineQueue: Sendable {
  package let label: String?
  package let timeline: Timeline

  package init(_ label: String?, on timeline: Timeline) {
    self.label = label
    self.timeline = timeline
  }

  /// Enqueues work after a delay, where a negative one is none (T5), and returns its token.
  package func schedule(
    _ work: consuming Work, after delay: Duration, every interval: Duration? = nil,
    tolerance: Duration = .zero, isImmediate: Bool = false, label: String? = nil, at site: CallSite
  ) -> WorkToken {
    timeline.schedule(
      work, after: delay, every: interval, tolerance: tolerance, isImmediate: isImmediate,
      on: self, label: label, at: Place(site))
  }

  /// Enqueues work at an instant, unless `isPast` says that the instant has passed; then returns nil. Reading
  /// the time and enqueueing is one step, so that time cannot move in between.
  package func schedule(
    _ work: consuming Work, at instant: Instant, label: String? = nil,
    at site: CallSite, unless isPast: (_ now: Instant) -> Bool
  ) -> WorkToken? {
    timeline.schedule(
      work, at: instant, on: self, label: label, at: Place(site), unless: isPast)
  }

  /// Enqueues work that an advance runs once it finds the group empty.
  package func schedule(
    _ work: consuming Work, whenEmpty group: DispatchGroup, label: String?,
    at site: CallSite
  ) {
    timeline.schedule(work, whenEmpty: group, on: self, label: label, at: Place(site))
  }
}
