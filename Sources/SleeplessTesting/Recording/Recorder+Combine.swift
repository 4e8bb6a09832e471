#if canImport(Combine)
  import Combine
  import Sleepless

  extension Recorder {
    /// Records the events of one of Combine's publishers from now on: subscribes at once, with unlimited
    /// demand.
    ///
    /// Events are recorded on the thread that sends. If the publisher breaks its contract, such as by
    /// sending after its end, before its subscription, or subscribing twice, the test fails when that happens.
    ///
    /// ```swift
    /// let subject = CurrentValueSubject<Int, Never>(1)
    /// let numbers = Recorder(subject)  // records the current value, 1
    /// subject.send(2)
    /// numbers.expect(1, 2)
    /// ```
    public convenience init<Source: Combine.Publisher>(
      _ publisher: Source, _ name: String? = nil, time: RecorderTime = .current,
      allowsUnread: Bool = false,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) where Source.Output == Value, Source.Failure == Failure {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      self.init(core: RecorderCore(name, time: time, allowsUnread: allowsUnread, at: site))
      core.record(combine: publisher)
    }
  }

  extension RecorderCore {
    func record<Source: Combine.Publisher>(
      combine publisher: Source, afterValue: (@Sendable () -> Void)? = nil
    ) where Source.Output == Value, Source.Failure == Failure {
      let subscriber = RecordingSubscriber(self, afterValue)
      publisher.subscribe(subscriber)
      setSource(cancel: subscriber.cancel)
    }
  }

  /// Records everything that a publisher sends. Unlike Combine's sink it does not hide contract
  /// violations.
  private final class RecordingSubscriber<Value: Sendable, Failure: Error>:
    Combine.Subscriber, @unchecked Sendable
  {
    // Unchecked because subscriptions are not `Sendable`; it is taken once, under the lock.

    private let core: RecorderCore<Value, Failure>
    private let afterValue: (@Sendable () -> Void)?
    private let state = Locked(State.unsubscribed)

    // Unchecked for the same reason.
    private enum State: @unchecked Sendable {
      case unsubscribed
      case subscribed(any Combine.Subscription)
      /// The source has ended, or the recorder has cancelled it.
      case ended
    }

    init(_ core: RecorderCore<Value, Failure>, _ afterValue: (@Sendable () -> Void)?) {
      self.core = core
      self.afterValue = afterValue
    }

    func receive(subscription: any Combine.Subscription) {
      let isFirst = state.withLock { state in
        guard case .unsubscribed = state else { return false }
        state = .subscribed(subscription)
        return true
      }
      core.recordSubscription()
      if isFirst { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    func receive(_ value: Value) -> Combine.Subscribers.Demand {
      if isUnsubscribed { core.recordEarly("a value, \(eventText(of: value)),") }
      core.record(value)
      afterValue?()
      return .none
    }

    func receive(completion: Combine.Subscribers.Completion<Failure>) {
      let ending: PublisherCompletion<Failure> =
        switch completion {
        case .finished: .finished
        case .failure(let error): .failure(error)
        }
      if isUnsubscribed { core.recordEarly("its end, \"\(ending.text)\",") }
      core.record(ending)
      let ended = end()
      withExtendedLifetime(ended) {}  // released after unlocking
    }

    @Sendable func cancel() { end()?.cancel() }

    private var isUnsubscribed: Bool {
      state.withLock { if case .unsubscribed = $0 { true } else { false } }
    }

    /// Returns the subscription, which the state releases.
    private func end() -> (any Combine.Subscription)? {
      state.withLock { state in
        defer { state = .ended }
        return if case .subscribed(let subscription) = state { subscription } else { nil }
      }
    }
  }
#endif
