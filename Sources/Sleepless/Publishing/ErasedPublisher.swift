/// A publisher whose type says what it publishes and nothing else.
///
/// All operators return one. As the type of a property or of a protocol's function it hides where
/// the values come from, and the simplest sources are its static members:
///
/// ```swift
/// protocol UserService: Sendable {
///   func user() -> ErasedPublisher<String, LookupError>
/// }
///
/// struct UserServiceMock: UserService {
///   var answer: ErasedPublisher<String, LookupError> = .just("Ada")
///   func user() -> ErasedPublisher<String, LookupError> { answer }
/// }
/// ```
public struct ErasedPublisher<Output: Sendable, Failure: Error>: PublisherType {
  typealias ReceiveCompletion = @Sendable (PublisherCompletion<Failure>) -> Void
  typealias ReceiveValue = @Sendable (Output) -> Void

  private let subscribe:
    @Sendable (@escaping ReceiveCompletion, @escaping ReceiveValue) -> SubscriptionToken

  init(
    subscribe:
      @escaping @Sendable (
        @escaping ReceiveCompletion, @escaping ReceiveValue
      ) -> SubscriptionToken
  ) {
    self.subscribe = subscribe
  }

  /// Hides the type of a publisher.
  public init(_ publisher: some PublisherType<Output, Failure>) {
    if let publisher = publisher as? ErasedPublisher {
      self = publisher
    } else {
      self.init { publisher.subscribe(receiveCompletion: $0, receiveValue: $1) }
    }
  }

  /// Subscribes two closures.
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    subscribe(receiveCompletion, receiveValue)
  }
}

extension PublisherType {
  /// Hides the type of this publisher.
  public func eraseToAnyPublisher() -> ErasedPublisher<Output, Failure> { ErasedPublisher(self) }
}

extension ErasedPublisher {
  /// Sends one value to each subscriber and finishes, before `subscribe` returns.
  public static func just(_ value: Output) -> ErasedPublisher {
    ErasedPublisher { receiveCompletion, receiveValue in
      receiveValue(value)
      receiveCompletion(.finished)
      return SubscriptionToken()
    }
  }

  /// Finishes before `subscribe` returns, without a value.
  public static var empty: ErasedPublisher {
    ErasedPublisher { receiveCompletion, _ in
      receiveCompletion(.finished)
      return SubscriptionToken()
    }
  }

  /// Fails before `subscribe` returns, without a value.
  public static func fail(_ error: Failure) -> ErasedPublisher {
    ErasedPublisher { receiveCompletion, _ in
      receiveCompletion(.failure(error))
      return SubscriptionToken()
    }
  }

  /// Sends nothing and does not end.
  public static var never: ErasedPublisher { ErasedPublisher { _, _ in SubscriptionToken() } }
}
