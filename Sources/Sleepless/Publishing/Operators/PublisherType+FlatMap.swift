extension PublisherType {
  /// Makes a publisher of each value and sends the events of all these publishers as they come.
  ///
  /// Finishes when this publisher and all the others have finished. Fails with the first failure, and then cancels
  /// the other subscriptions. A value that arrives during a callback waits until the callback has returned.
  ///
  /// ```swift
  /// let ids = EventSubject<Int, Never>()
  /// let answers = EventSubject<String, Never>()
  /// let token = ids.flatMap { id in answers.map { "\(id): \($0)" } }.sink { print($0) }
  /// ids.send(1)
  /// ids.send(2)
  /// answers.send("found")  // prints 1: found, then 2: found
  /// ```
  public func flatMap<Inner: PublisherType>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> ErasedPublisher<Inner.Output, Failure> where Inner.Failure == Failure {
    flattened(switching: false, transform)
  }

  /// Makes a publisher that cannot fail of each value of a publisher that may, and sends the values as they come.
  ///
  /// Finishes when this publisher and all the others have finished. Fails when this publisher fails, and then cancels
  /// the other subscriptions.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let ids = EventSubject<Int, LoadError>()
  /// let token = ids.flatMap { ErasedPublisher<String, Never>.just("user \($0)") }.sink(
  ///   receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
  ///   receiveValue: { print($0) })
  /// ids.send(1)  // prints user 1
  /// ids.send(completion: .failure(.offline))  // prints offline
  /// ```
  @_disfavoredOverload  // where neither can fail, the one above
  public func flatMap<Inner: PublisherType>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> ErasedPublisher<Inner.Output, Failure> where Inner.Failure == Never {
    flatMap { transform($0).setFailureType(to: Failure.self) }
  }

  fileprivate func flattened<Inner: PublisherType>(
    switching: Bool, _ transform: @escaping @Sendable (Output) -> Inner
  ) -> ErasedPublisher<Inner.Output, Failure> where Inner.Failure == Failure {
    ErasedPublisher { receiveCompletion, receiveValue in
      let inners = Locked(InnerSubscriptions())
      typealias Input = FlatMapInput<Output, Inner.Output, Failure>
      let subscription = OperatorSubscription<Input, Inner.Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, input in
        switch input {
        case .outer(.value(let value)):
          let inner = transform(value)
          guard
            let (replaced, number) = inners.withLock({ $0.begin(replacingOthers: switching) })
          else { return }  // the closure has cancelled
          for token in replaced { token.cancel() }
          // The end of a replaced subscription may have cancelled.
          if !replaced.isEmpty, !inners.withLock({ $0.contains(number) }) { return }
          let token = inner.subscribe(
            receiveCompletion: { subscription.receive(.inner(number, .completion($0))) },
            receiveValue: { subscription.receive(.inner(number, .value($0))) })
          if !inners.withLock({ $0.keep(token, number) }) { token.cancel() }
        case .inner(let number, .value(let value)):
          if inners.withLock({ $0.contains(number) }) { subscription.send(value) }
        case .inner(let number, .completion(.finished)):
          let (ended, isLast) = inners.withLock { ($0.end(number), $0.isOver) }
          withExtendedLifetime(ended) {}  // released after unlocking
          if isLast { subscription.send(.finished) }
        case .inner(let number, .completion(.failure(let error))):
          if inners.withLock({ $0.contains(number) }) { subscription.send(.failure(error)) }
        case .outer(.completion(.finished)):
          let isLast = inners.withLock { inners in
            inners.isOuterOpen = false
            return inners.isOver
          }
          if isLast { subscription.send(.finished) }
        case .outer(.completion(.failure(let error))): subscription.send(.failure(error))
        }
      }
      subscription.keep(
        SubscriptionToken { for token in inners.withLock({ $0.cancel() }) { token.cancel() } })
      subscription.subscribe(to: self) { .outer($0) }
      return subscription.token
    }
  }
}

extension PublisherType where Failure == Never {
  /// Makes a publisher that may fail of each value of a publisher that cannot, and sends the events as they come.
  ///
  /// Finishes when this publisher and all the others have finished. Fails with the first failure of the others, and
  /// then cancels the other subscriptions.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let ids = EventSubject<Int, Never>()
  /// let token = ids.flatMap { _ in ErasedPublisher<String, LoadError>.fail(.offline) }.sink(
  ///   receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
  ///   receiveValue: { print($0) })
  /// ids.send(1)  // prints offline
  /// ids.send(2)  // prints nothing: the failure was the end
  /// ```
  @_disfavoredOverload  // where neither can fail, the first one
  public func flatMap<Inner: PublisherType>(
    _ transform: @escaping @Sendable (Output) -> Inner
  ) -> ErasedPublisher<Inner.Output, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flatMap(transform)
  }
}

extension PublisherType where Output: PublisherType, Output.Failure == Failure {
  /// Sends the events of the publisher that came last, and cancels the subscription to the one before.
  ///
  /// ```swift
  /// let queries = EventSubject<String, Never>()
  /// let answers = EventSubject<String, Never>()
  /// let token = queries.map { query in answers.map { "\(query): \($0)" } }
  ///   .switchToLatest()
  ///   .sink { print($0) }
  /// queries.send("a")
  /// queries.send("ab")
  /// answers.send("found")  // prints ab: found
  /// ```
  ///
  /// Finishes when this publisher and the last one have finished. Fails with the first failure of this publisher
  /// or of the last one.
  public func switchToLatest() -> ErasedPublisher<Output.Output, Failure> {
    flattened(switching: true) { $0 }
  }
}

extension PublisherType where Output: PublisherType, Failure == Never {
  /// Sends the events of the publisher that came last; for a publisher of publishers that cannot itself fail.
  ///
  /// Cancels the subscription to the publisher before it. Finishes when this publisher and the last one have finished.
  /// Fails when the last one fails.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let queries = EventSubject<String, Never>()
  /// let answers = EventSubject<String, LoadError>()
  /// let found = queries.map { query in answers.map { "\(query): \($0)" } }.switchToLatest()
  /// let token = found.replaceError(with: "offline").sink { print($0) }
  /// queries.send("a")
  /// queries.send("ab")
  /// answers.send("found")  // prints ab: found
  /// answers.send(completion: .failure(.offline))  // prints offline
  /// ```
  @_disfavoredOverload  // where neither can fail, the one above
  public func switchToLatest() -> ErasedPublisher<Output.Output, Output.Failure> {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

private enum FlatMapInput<Output: Sendable, InnerOutput: Sendable, Failure: Error>: Sendable {
  case outer(PublisherEvent<Output, Failure>)
  /// An event of the inner publisher with this number.
  case inner(Int, PublisherEvent<InnerOutput, Failure>)
}

/// The subscriptions to the publishers that were made of values.
private struct InnerSubscriptions {
  var isOuterOpen = true
  private var tokens = NumberedTokens()
  /// Whether the operator has ended, so that no subscription begins any more.
  private var isCancelled = false

  var isOver: Bool { !isOuterOpen && tokens.isEmpty }

  func contains(_ number: Int) -> Bool { tokens.contains(number) }

  /// Returns nil if the operator has ended.
  mutating func begin(replacingOthers: Bool) -> (replaced: [any CancellableType], number: Int)? {
    guard !isCancelled else { return nil }
    let replaced = replacingOthers ? tokens.endAll() : []
    return (replaced, tokens.begin())
  }

  /// Returns false if the subscription has ended in the meantime.
  mutating func keep(_ token: SubscriptionToken, _ number: Int) -> Bool {
    tokens.keep(token, number)
  }

  mutating func end(_ number: Int) -> (any CancellableType)? { tokens.end(number) ?? nil }

  /// Ends all subscriptions, and lets no other begin.
  mutating func cancel() -> [any CancellableType] {
    isCancelled = true
    return tokens.endAll()
  }
}
