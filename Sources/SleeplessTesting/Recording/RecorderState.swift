import Sleepless

/// What a recorder knows: decides what an event or a read means, and leaves the acting to the core.
struct RecorderState<Value: Sendable, Failure: Error>: Sendable {
  /// What a source did that no source may do.
  enum Misdeed: Sendable {
    case value(Value)
    case ending(PublisherCompletion<Failure>)
    case subscription
  }

  /// What became of an event.
  enum Arrival: Sendable {
    case kept
    /// After the end, or after the recorder cancelled. Only the first of several is to be told.
    case misdeed(Misdeed, isFirst: Bool)
    /// It was under way when the recorder cancelled.
    case late
  }

  private(set) var history = History<Value>()
  private(set) var ending: (PublisherCompletion<Failure>, at: Duration)?
  /// When a change began whose value is not known yet; it counts as an event. See `ChangeSource`.
  private(set) var pendingChange: Duration?

  /// How many values have been read; the rest is unread.
  private(set) var readCount = 0
  private(set) var isEndingRead = false

  /// Whether the recorder has told of a failure: what is left over then is a consequence of it.
  private(set) var hasFailed = false
  /// Whether the end was checked: by then every event should have come.
  private(set) var isOver = false
  /// Whether something delivers the events that can be told to stop.
  var hasSource = false
  /// Whether the test said that it does not care for what nobody reads.
  let allowsUnread: Bool
  private var misdeedCount = 0
  private var subscriptionCount = 0
  private var cancellation: Cancellation?

  /// The one read that waits.
  var waiter: RecorderWait?

  private struct Cancellation {
    let thread: UInt
    /// Whether an event may still have been under way on another thread.
    var mayBeUnderWay = true
  }

  init(allowsUnread: Bool) { self.allowsUnread = allowsUnread }

  // MARK: Recording

  mutating func record(_ value: Value, at time: () -> Duration) -> Arrival {
    if ending == nil, cancellation == nil {
      history.append(value, at: time())
      return .kept
    }
    return refuse(.value(value))
  }

  mutating func record(_ ending: PublisherCompletion<Failure>, at time: () -> Duration) -> Arrival {
    if self.ending == nil, cancellation == nil {
      self.ending = (ending, time())
      return .kept
    }
    return refuse(.ending(ending))
  }

  /// A source subscribes its recorder once.
  mutating func recordSubscription() -> Arrival {
    subscriptionCount += 1
    return subscriptionCount == 1 ? .kept : refuse(.subscription)
  }

  private mutating func refuse(_ misdeed: Misdeed) -> Arrival {
    if cancellation != nil, currentThreadID() != cancellation!.thread,
      cancellation!.mayBeUnderWay
    {
      // One event may have passed the source's own check before the recorder cancelled.
      cancellation!.mayBeUnderWay = false
      return .late
    }
    // A callback cannot be told to stop; what comes by then is unread, which may be allowed.
    if isOver, !hasSource, allowsUnread { return .late }
    misdeedCount += 1
    hasFailed = true
    return .misdeed(misdeed, isFirst: misdeedCount == 1)
  }

  /// Notes that a value is about to change, after the one that was pending has been settled.
  mutating func beginChange(at time: () -> Duration) {
    guard ending == nil, cancellation == nil else { return }
    pendingChange = time()
  }

  /// Gives the pending change its value.
  mutating func settle(value: Value) {
    guard let time = pendingChange else { return }
    pendingChange = nil
    history.append(value, at: time)
  }

  /// Whether the recorder cancelled, rather than the source ended.
  var isCancelled: Bool { cancellation != nil }

  mutating func cancel() {
    if cancellation == nil { cancellation = Cancellation(thread: currentThreadID()) }
  }

  mutating func close() { isOver = true }

  mutating func noteFailure() { hasFailed = true }

  // MARK: Reading

  /// How many values and changes nobody has read.
  var unreadValueCount: Int { history.count - readCount + (pendingChange == nil ? 0 : 1) }
  var isEndingUnread: Bool { ending != nil && !isEndingRead }
  var unreadCount: Int { unreadValueCount + (isEndingUnread ? 1 : 0) }

  /// Whether a read of so many events need not wait: they are there, or nothing can follow.
  func hasArrived(_ count: Int) -> Bool {
    unreadCount >= count || ending != nil || cancellation != nil || isOver
  }

  /// Reads so many values, or none at all if there are fewer.
  mutating func takeValues(_ count: Int) -> [Value]? {
    guard history.count - readCount >= count else { return nil }
    defer { readCount += count }
    return history[readCount..<(readCount + count)]
  }

  /// Reads the end if it is next. Once read, it is there for every later read.
  mutating func takeEnding() -> PublisherCompletion<Failure>? {
    guard unreadValueCount == 0, let (ending, _) = ending else { return nil }
    isEndingRead = true
    return ending
  }

  /// Reads everything there is.
  mutating func takeAll() -> (values: [Value], ending: PublisherCompletion<Failure>?) {
    let values = history[readCount..<history.count]
    readCount = history.count
    defer { isEndingRead = isEndingRead || ending != nil }
    return (values, isEndingRead ? nil : ending?.0)
  }
}
