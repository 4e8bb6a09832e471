#if !canImport(Combine) && CombineNames
  // Combine's names, so that a file written for Combine compiles where there is none, importing
  // Sleepless instead. The package trait CombineNames, on unless switched off, is for those who
  // import OpenCombine as well and want its names to mean OpenCombine's types.

  /// Combine's `@Published`.
  public typealias Published = PublishedState

  /// Combine's `ObservableObject`.
  public typealias ObservableObject = ObservableObjectType

  /// The publisher of an `ObservableObject` that declares none.
  public typealias ObservableObjectPublisher = EventSubject<Void, Never>

  /// Combine's `Publisher`.
  public typealias Publisher = PublisherType

  /// Combine's `AnyPublisher`.
  public typealias AnyPublisher = ErasedPublisher

  /// Combine's `AnyCancellable`.
  public typealias AnyCancellable = SubscriptionToken

  /// Combine's `Cancellable`.
  public typealias Cancellable = CancellableType

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
