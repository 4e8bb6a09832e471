#if !canImport(Combine) && CombineNames
  /// Combine's `Future`: sends the one value or error that a closure promises.
  ///
  /// ```swift
  /// let answer = Future<String, Never> { promise in
  ///   DispatchQueue.global().async { promise(.success("Ada")) }
  /// }
  /// ```
  ///
  /// The initialiser calls the closure once and at once, on the caller's actor. The first result counts. A subscriber
  /// gets it when it comes, or during the subscription if it is there; a value is followed by the end.
  public final class Future<Output: Sendable, Failure: Error>: PublisherType {
    /// Takes the result, from any thread. Later results have no effect.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    private let result = StateSubject<Result<Output, Failure>?, Never>(nil)

    /// Makes a publisher of one result, and calls the closure that works for it.
    ///
    /// ```swift
    /// let answer = Future<String, Never> { promise in
    ///   print("working")  // at once: prints working
    ///   promise(.success("Ada"))
    ///   promise(.success("Tom"))  // has no effect
    /// }
    /// let token = answer.sink { print($0) }  // prints Ada
    /// ```
    public init(_ attemptToFulfill: (@escaping Promise) -> Void) {
      let isFulfilled = Locked(false)
      attemptToFulfill { [result] new in
        if isFulfilled.setForTheFirstTime() { result.send(new) }
      }
    }

    /// Subscribes two closures. If the result is there, they get it before this function returns.
    ///
    /// ```swift
    /// let answer = Future<String, Never> { promise in promise(.success("Ada")) }
    /// let token = answer.subscribe(
    ///   receiveCompletion: { print($0) },
    ///   receiveValue: { print($0) })  // prints Ada, then finished
    /// ```
    public func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
      receiveValue: @escaping @Sendable (Output) -> Void
    ) -> SubscriptionToken {
      result.compactMap { $0 }.first().setFailureType(to: Failure.self)
        .flatMap { $0.publisher }
        .subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }

  /// Combine's `Deferred`: makes a publisher for each subscriber.
  public struct Deferred<DeferredPublisher: PublisherType>: PublisherType {
    private let createPublisher: @Sendable () -> DeferredPublisher

    /// Makes a publisher that calls a closure when it is subscribed to.
    ///
    /// ```swift
    /// let greeting = Deferred {
    ///   print("made")
    ///   return Just("hello")
    /// }
    /// let first = greeting.sink { print($0) }  // prints made, then hello
    /// let second = greeting.sink { print($0) }  // prints made, then hello
    /// ```
    public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
      self.createPublisher = createPublisher
    }

    /// Calls the closure and subscribes to its publisher.
    ///
    /// ```swift
    /// let token = Deferred { Just("hello") }.subscribe(
    ///   receiveCompletion: { print($0) },
    ///   receiveValue: { print($0) })  // prints hello, then finished
    /// ```
    public func subscribe(
      receiveCompletion:
        @escaping @Sendable (PublisherCompletion<DeferredPublisher.Failure>) -> Void,
      receiveValue: @escaping @Sendable (DeferredPublisher.Output) -> Void
    ) -> SubscriptionToken {
      createPublisher().subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }
#endif
