/// A publisher whose type names only its values and its failure.
///
/// All operators return one. Use it as the type of a property or the result of a function, to hide the
/// source of the values. Its static members are the simplest sources:
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

  /// Wraps a publisher and hides its type.
  public init(_ publisher: some PublisherType<Output, Failure>) {
    if let publisher = publisher as? ErasedPublisher {
      self = publisher
    } else {
      self.init { publisher.subscribe(receiveCompletion: $0, receiveValue: $1) }
    }
  }

  /// Subscribes two closures: one for the end, one for the values.
  ///
  /// The subscription ends when the token is cancelled or released.
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

// In an extension of the protocol, so that `.just(0)` is also found where `some PublisherType` is wanted. A property
// cannot be there: the constraint would be recursive.
extension PublisherType {
  /// A publisher that sends one value and finishes, before `subscribe` returns.
  public static func just<Value, Failure>(_ value: Value) -> ErasedPublisher<Value, Failure>
  where Self == ErasedPublisher<Value, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      receiveValue(value)
      receiveCompletion(.finished)
      return SubscriptionToken()
    }
  }

  /// A publisher that sends only this error, before `subscribe` returns.
  public static func fail<Value, Failure>(_ error: Failure) -> ErasedPublisher<Value, Failure>
  where Self == ErasedPublisher<Value, Failure> {
    ErasedPublisher { receiveCompletion, _ in
      receiveCompletion(.failure(error))
      return SubscriptionToken()
    }
  }
}

extension ErasedPublisher {
  /// A publisher that finishes without a value, before `subscribe` returns.
  public static var empty: ErasedPublisher {
    ErasedPublisher { receiveCompletion, _ in
      receiveCompletion(.finished)
      return SubscriptionToken()
    }
  }

  /// A publisher that sends nothing and never ends.
  public static var never: ErasedPublisher { ErasedPublisher { _, _ in SubscriptionToken() } }
}
