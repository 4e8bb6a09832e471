#if !canImport(Combine) && CombineNames
  // Combine's names: a file written for Combine compiles without Combine if it imports Sleepless.
  // The package trait CombineNames is on by default. Switch it off if the file also
  // imports OpenCombine: the names then mean OpenCombine's types.

  /// Combine's `@Published`.
  public typealias Published = PublishedState

  /// Combine's `ObservableObject`.
  public typealias ObservableObject = ObservableObjectType

  /// Combine's `ObservableObjectPublisher`.
  public typealias ObservableObjectPublisher = EventSubject<Void, Never>

  /// Combine's `Publisher`.
  public typealias Publisher = PublisherType

  /// Combine's `AnyPublisher`.
  public typealias AnyPublisher = ErasedPublisher

  /// Combine's `AnyCancellable`.
  public typealias AnyCancellable = SubscriptionToken

  /// Combine's `Cancellable`.
  public typealias Cancellable = CancellableType

  /// Combine's `Subscription`, as `handleEvents` passes it on.
  public typealias Subscription = CancellableType

  /// Combine's `PassthroughSubject`.
  public typealias PassthroughSubject = EventSubject

  /// Combine's `CurrentValueSubject`.
  public typealias CurrentValueSubject = StateSubject

  /// The namespace of Combine's `Subscribers.Completion`.
  public enum Subscribers {
    /// How a publisher ended.
    public typealias Completion = PublisherCompletion
  }
#endif
