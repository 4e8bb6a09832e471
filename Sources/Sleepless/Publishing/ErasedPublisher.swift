/// A publisher whose type names only its values and its failure.
///
/// All operators return one. Use it as the type of a property or the result of a function, to hide the
/// source of the values. Its static members are the simplest sources:
///
/// ```swift
/// struct LookupError: Error {}
///
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
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// let numbers = ErasedPublisher(subject)  // has no `send`
  /// let token = numbers.sink { print($0) }
  /// subject.send(1)  // prints 1
  /// ```
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
  ///
  /// ```swift
  /// let user: ErasedPublisher<String, Never> = .just("Ada")
  /// let token = user.subscribe(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) })
  /// // prints Ada, then finished
  /// ```
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    subscribe(receiveCompletion, receiveValue)
  }
}

extension PublisherType {
  /// Hides the type of this publisher.
  ///
  /// ```swift
  /// final class Player {
  ///   private let subject = EventSubject<Int, Never>()
  ///   var position: ErasedPublisher<Int, Never> { subject.eraseToAnyPublisher() }
  ///   func seek(to second: Int) { subject.send(second) }
  /// }
  /// let player = Player()
  /// let token = player.position.sink { print($0) }
  /// player.seek(to: 30)  // prints 30
  /// ```
  public func eraseToAnyPublisher() -> ErasedPublisher<Output, Failure> { ErasedPublisher(self) }
}

// In an extension of the protocol, so that `.just(0)` is also found where `some PublisherType` is wanted. A property
// cannot be there: the constraint would be recursive.
extension PublisherType {
  /// A publisher that sends one value and finishes, before `subscribe` returns.
  ///
  /// ```swift
  /// let user: ErasedPublisher<String, Never> = .just("Ada")
  /// let token = user.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// // prints Ada, then finished
  /// ```
  public static func just<Value, Failure>(_ value: Value) -> ErasedPublisher<Value, Failure>
  where Self == ErasedPublisher<Value, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      receiveValue(value)
      receiveCompletion(.finished)
      return SubscriptionToken()
    }
  }

  /// A publisher that sends only this error, before `subscribe` returns.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let user: ErasedPublisher<String, LoadError> = .fail(.offline)
  /// let token = user.sink(
  ///   receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
  ///   receiveValue: { print($0) })
  /// // prints offline
  /// ```
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
  ///
  /// ```swift
  /// let none: ErasedPublisher<Int, Never> = .empty
  /// let token = none.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// // prints finished
  /// ```
  public static var empty: ErasedPublisher {
    ErasedPublisher { receiveCompletion, _ in
      receiveCompletion(.finished)
      return SubscriptionToken()
    }
  }

  /// A publisher that sends nothing and never ends.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let answer: ErasedPublisher<Int, Never> = .never
  /// let token = answer.timeout(.seconds(5), scheduler: scheduler)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// scheduler.advance(by: .seconds(5))  // the timeout prints finished
  /// ```
  public static var never: ErasedPublisher { ErasedPublisher { _, _ in SubscriptionToken() } }
}
