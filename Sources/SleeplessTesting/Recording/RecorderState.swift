import Sleepless
import VirtualTime

/// The state of a recorder: decides what an event or a read means. The core acts on the decision.
///
/// It is not generic: see ``History``. Values and the completion go in and out through the core.
struct RecorderState: Sendable {
  /// What to do with an event.
  enum Arrival: Sendable {
    case kept
    /// It came after the end, or after the recorder cancelled. Report the first one only.
    case violation(isFirst: Bool)
    /// It was under way when the recorder cancelled.
    case late
  }

  var history = History()
  /// How the source ended: a `PublisherCompletion`.
  private(set) var completion: (any Sendable)?
  /// When the source ended.
  private(set) var endingTime: Duration?
  /// When a change began whose value is not known yet. The change counts as an event. See `ChangeSource`.
  private(set) var pendingChange: Timestamp?

  /// How many values have been read. The later values are unread.
  private(set) var readCount = 0
  private(set) var isEndingRead = false

  /// Whether the recorder has failed. Unread events are then a consequence of that failure.
  private(set) var hasFailed = false
  /// Whether the check at the end has run. Every event should have come before it.
  private(set) var isOver = false
  /// How many events there were when the test released the recorder.
  private(set) var countAtRelease: Int?
  /// Whether an event that is never read would fail the test at its end.
  var wouldFailForUnreadEvent: Bool { !isOver && !hasFailed && !allowsUnread }
  /// Whether the events come from a source that can be cancelled.
  var hasSource = false
  /// Whether the test allows unread events.
  let allowsUnread: Bool
  private var violationCount = 0
  private var subscriptionCount = 0
  private var cancellation: Cancellation?

  /// The read that waits for events; nil if none waits.
  var waiter: RecorderWait?

  private struct Cancellation {
    let thread: UInt
    /// Whether an event may still have been under way on another thread.
    var mayBeUnderWay = true
  }

  init(allowsUnread: Bool) { self.allowsUnread = allowsUnread }

  // MARK: Recording

  /// Whether events are still recorded.
  var isOpen: Bool { endingTime == nil && cancellation == nil }

  mutating func record(_ completion: any Sendable, at time: Duration) -> Arrival {
    guard isOpen else { return refuse() }
    self.completion = completion
    endingTime = time
    return .kept
  }

  /// Notes that the source has subscribed its recorder, which it may do once.
  mutating func recordSubscription() -> Arrival {
    subscriptionCount += 1
    return subscriptionCount == 1 ? .kept : refuse()
  }

  /// Decides about an event that should not have come.
  mutating func refuse() -> Arrival {
    if cancellation != nil, currentThreadID() != cancellation!.thread,
      cancellation!.mayBeUnderWay
    {
      // One event may have passed the source's own check before the recorder cancelled.
      cancellation!.mayBeUnderWay = false
      return .late
    }
    // A callback cannot be cancelled. Its late events are unread events, which may be allowed.
    if isOver, !hasSource, allowsUnread { return .late }
    violationCount += 1
    hasFailed = true
    return .violation(isFirst: violationCount == 1)
  }

  /// Notes that the value is about to change. The pending change must have its value by then.
  mutating func beginChange(at time: Timestamp) {
    if isOpen { pendingChange = time }
  }

  /// Takes the time of the pending change, for the caller to record it with its value.
  mutating func endChange() -> Timestamp? { pendingChange.take() }

  /// Whether the recorder cancelled the source.
  var isCancelled: Bool { cancellation != nil }

  mutating func cancel() {
    if cancellation == nil { cancellation = Cancellation(thread: currentThreadID()) }
  }

  mutating func close() { isOver = true }

  mutating func noteRelease() { countAtRelease = eventCount }

  /// How many events have come since the test released the recorder.
  var countSinceRelease: Int { countAtRelease.map { eventCount - $0 } ?? 0 }

  private var eventCount: Int {
    history.count + (pendingChange == nil ? 0 : 1) + (endingTime == nil ? 0 : 1)
  }

  mutating func noteFailure() { hasFailed = true }

  // MARK: Reading

  /// How many values and changes are unread.
  var unreadValueCount: Int { history.count - readCount + (pendingChange == nil ? 0 : 1) }
  var isEndingUnread: Bool { endingTime != nil && !isEndingRead }
  var unreadCount: Int { unreadValueCount + (isEndingUnread ? 1 : 0) }

  /// Whether a read of `count` events need not wait: they have come, or no event can follow.
  func needNotWait(for count: Int) -> Bool {
    unreadCount >= count || endingTime != nil || cancellation != nil || isOver
  }

  /// Reads `count` values and returns their range; reads none and returns nil if there are fewer.
  mutating func take(_ count: Int) -> Range<Int>? {
    guard history.count - readCount >= count else { return nil }
    defer { readCount += count }
    return readCount..<(readCount + count)
  }

  /// Reads the end if it is the next event, and returns whether it was. It can be read again later.
  mutating func takeEnding() -> Bool {
    guard unreadValueCount == 0, endingTime != nil else { return false }
    isEndingRead = true
    return true
  }

  /// Reads the end, whatever is unread before it, and returns whether there is one.
  mutating func takeEnd() -> Bool {
    guard endingTime != nil, !isOver else { return false }
    isEndingRead = true
    return true
  }

  /// Reads everything. Returns the range of the values, and whether the end was unread.
  mutating func takeAll() -> (values: Range<Int>, ending: Bool) {
    defer { readCount = history.count }
    defer { isEndingRead = isEndingRead || endingTime != nil }
    return (readCount..<history.count, isEndingUnread)
  }
}
