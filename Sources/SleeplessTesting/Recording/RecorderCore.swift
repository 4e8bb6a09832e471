import Sleepless

/// The part of a recorder that its source retains. It takes in events from any thread.
///
/// The source may outlive the test. The recorder itself is released when its test ends, so its release
/// can show the end.
final class RecorderCore<Value: Sendable, Failure: Error>: Sendable {
  /// An event that a source must not send.
  enum ContractViolation {
    case value(Value)
    case ending(PublisherCompletion<Failure>)
    case subscription
    /// A value or the end, described, before the subscription.
    case early(String)
  }

  /// The recorder's name in quotes, or where it was made.
  let name: String
  /// The kind of its events, for texts.
  let subject: RecordedSubject
  let recordingClock: RecordingClock
  let reporter: Reporter
  let state: Locked<RecorderState>
  /// Ends the source's delivery.
  private let onCancel = Locked<(@Sendable () -> Void)?>(nil)
  /// Reads the value of a change that has been announced: see `ChangeSource`.
  private let readChange = Locked<(@Sendable (_ isAtEnd: Bool) -> Value?)?>(nil)

  convenience init(_ name: String?, time: RecorderTime, allowsUnread: Bool, at site: CallSite) {
    self.init(
      called: name.map { "\"\($0)\"" } ?? "the recorder made in \(site)", time: time,
      allowsUnread: allowsUnread, reporter: Reporter(at: site))
  }

  init(
    called name: String, recording subject: RecordedSubject = .values, time: RecorderTime,
    allowsUnread: Bool, reporter: Reporter
  ) {
    self.name = name
    self.subject = subject
    self.reporter = reporter
    state = Locked(RecorderState(allowsUnread: allowsUnread))
    recordingClock = RecordingClock(time)
    reporter.atEndOfTest(
      mayChange: { [weak self] in self?.mayFailForNewEvent ?? false },
      afterLastChange: { [weak self] in self?.checkAtEnd() })
    reporter.explainOthers { [weak self] in self?.unreadError }
  }

  // MARK: Recording

  func record(_ value: Value) {
    let (arrival, wait) = state.withLock { state -> (RecorderState.Arrival, RecorderWait?) in
      guard state.isOpen else { return (state.refuse(), nil) }
      append(value, to: &state, at: recordingClock.timestamp)
      return (.kept, state.readyWait)
    }
    wait?.end(.arrived)
    ChangeNotifier.somethingHappened()
    if case .violation(isFirst: true) = arrival { tell(value) }
  }

  func record(_ completion: PublisherCompletion<Failure>) {
    let (arrival, wait) = state.withLock { state in
      (state.record(completion, at: recordingClock.now), state.readyWait)
    }
    wait?.end(.arrived)
    ChangeNotifier.somethingHappened()
    switch arrival {
    case .kept: _ = releaseSource()
    case .violation(isFirst: true): tell(.ending(completion))
    case .violation, .late: break
    }
  }

  func recordSubscription() {
    let arrival = state.withLock { $0.recordSubscription() }
    if case .violation(isFirst: true) = arrival { tell(.subscription) }
  }

  /// Fails the test for an event that the source has sent before it has subscribed its recorder.
  func recordEarly(_ event: String) {
    let arrival = state.withLock { $0.refuse() }
    if case .violation(isFirst: true) = arrival { tell(.early(event)) }
  }

  /// Notes that the source's value is about to change; `current` is still the value before.
  func recordChange(after current: Value) {
    let wait = state.withLock { state in
      if let time = state.endChange() { append(current, to: &state, at: time) }
      state.beginChange(at: recordingClock.timestamp)
      return state.readyWait
    }
    wait?.end(.arrived)
    ChangeNotifier.somethingHappened()
  }

  private func append(_ value: Value, to state: inout RecorderState, at time: Timestamp) {
    let place = state.history.append(
      at: time, stride: MemoryLayout<Value>.stride, alignment: MemoryLayout<Value>.alignment)
    place.initializeMemory(as: Value.self, to: value)
  }

  /// A function of its own: ``record(_:)`` would otherwise look up the type of the violation each time.
  @inline(never)
  private func tell(_ value: Value) { tell(.value(value)) }

  private func tell(_ violation: ContractViolation) { reporter.fail(text(of: violation)) }

  deinit { state.withLock { $0.history.removeAll(as: Value.self) } }

  // MARK: Reading the state

  /// The values of a range.
  func copy(_ range: Range<Int>, from state: RecorderState) -> [Value] {
    state.history.values(range, as: Value.self)
  }

  /// How the source ended; nil if it has not ended.
  var completion: PublisherCompletion<Failure>? {
    let ending = state.withLock { $0.completion }
    return ending.map { $0 as! PublisherCompletion<Failure> }
  }

  // MARK: The source

  func setSource(
    cancel: @escaping @Sendable () -> Void,
    readChange: (@Sendable (_ isAtEnd: Bool) -> Value?)? = nil
  ) {
    self.readChange.withLock { $0 = readChange }
    let isOver = state.withLock { state in
      state.hasSource = true
      let isOver = state.endingTime != nil || state.isCancelled
      if !isOver { onCancel.withLock { $0 = cancel } }
      return isOver
    }
    if isOver { cancel() }
  }

  /// Ends the source's delivery. Events that the source sends after that are a failure.
  func cancel(isAtEnd: Bool = false) {
    recordPendingChange(isAtEnd: isAtEnd)
    let wait = state.withLock { state in
      state.cancel()
      return state.readyWait
    }
    releaseSource()?()
    wait?.end(.arrived)
  }

  /// Releases the source, and returns the closure that ends its delivery.
  private func releaseSource() -> (@Sendable () -> Void)? {
    let read = readChange.withLock { $0.take() }
    return withExtendedLifetime(read) { onCancel.withLock { $0.take() } }
  }

  /// Reads and records the value of a change that was announced.
  func recordPendingChange(isAtEnd: Bool = false) {
    guard state.withLock({ $0.pendingChange != nil }) else { return }
    guard let value = readChange.withLock({ $0 })?(isAtEnd) else { return }
    state.withLock { state in
      if let time = state.endChange() { append(value, to: &state, at: time) }
    }
  }

  // MARK: The end

  /// Whether an event that came now would fail the test, at once or at its end.
  private var mayFailForNewEvent: Bool {
    state.withLock { $0.isOpen ? $0.wouldFailForUnreadEvent : !$0.isOver && !$0.hasFailed }
  }

  /// Checks the recording after the test has released the recorder, so that no read can follow.
  ///
  /// The test's tasks may still send events. If the end of the test is known, events are recorded until
  /// these tasks have come to rest, and the check runs then.
  func recorderWasReleased() {
    let mayFail = state.withLock { state in
      defer { state.noteRelease() }
      return state.isOpen && state.wouldFailForUnreadEvent
    }
    if mayFail, reporter.afterLastEvents({ self.checkAtEnd() }) { return }
    checkAtEnd()
  }

  /// Ends the recording and fails the test if events are unread. Only the first call has an effect.
  func checkAtEnd() {
    recordPendingChange(isAtEnd: true)
    let leftover = state.withLock { state in
      defer { state.close() }
      guard !state.isOver, !state.hasFailed, !state.allowsUnread else { return false }
      return state.unreadCount > 0
    }
    let text = leftover ? leftoverText : nil
    cancel(isAtEnd: true)
    if let text { reporter.tellLeftover(text) }
  }

  /// The source's unread error, for the failures of other helpers.
  private var unreadError: String? {
    let time = state.withLock { state -> Duration? in
      guard state.isEndingUnread, !state.isOver, !state.hasFailed else { return nil }
      return state.endingTime
    }
    guard let time, let completion, !completion.isFinished else { return nil }
    return "Unread in \(name): \(completion.text), at \(recordingClock.text(time))"
  }

  // MARK: Failing

  /// Fails at the caller's line, and returns the error to throw.
  func failure(_ text: String, at site: CallSite) -> any Error {
    state.withLock { $0.noteFailure() }
    return reporter.failure(text, at: site)
  }

  func fail(_ text: String, at site: CallSite) {
    state.withLock { $0.noteFailure() }
    reporter.fail(text, at: site)
  }
}

extension RecorderState {
  /// The waiting read, if it need not wait any longer.
  var readyWait: RecorderWait? { waiter.flatMap { needNotWait(for: $0.count) ? $0 : nil } }
}
