extension PublisherType {
  /// Continues with another publisher after a failure.
  ///
  /// The closure runs once per subscriber, when this publisher fails.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let page = EventSubject<String, LoadError>()
  /// let token = page.catch { _ in ErasedPublisher<String, Never>.just("saved copy") }
  ///   .sink { print($0) }
  /// page.send("page")  // prints page
  /// page.send(completion: .failure(.offline))  // prints "saved copy"
  /// ```
  public func `catch`<Replacement: PublisherType>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> ErasedPublisher<Output, Replacement.Failure> where Replacement.Output == Output {
    ErasedPublisher { receiveCompletion, receiveValue in
      typealias Input = CatchInput<Output, Failure, Replacement.Failure>
      let subscription = OperatorSubscription<Input, Output, Replacement.Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, input in
        switch input {
        case .first(.value(let value)), .second(.value(let value)): subscription.send(value)
        case .first(.completion(.finished)): subscription.send(.finished)
        case .first(.completion(.failure(let error))):
          subscription.subscribe(to: handler(error)) { .second($0) }
        case .second(.completion(let completion)): subscription.send(completion)
        }
      }
      subscription.subscribe(to: self) { .first($0) }
      return subscription.token
    }
  }

  /// Sends a value in place of the failure, and finishes.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let count = EventSubject<Int, LoadError>()
  /// let token = count.replaceError(with: 0).sink { print($0) }
  /// count.send(3)  // prints 3
  /// count.send(completion: .failure(.offline))  // prints 0
  /// ```
  public func replaceError(with output: Output) -> ErasedPublisher<Output, Never> {
    `catch` { _ in ErasedPublisher<Output, Never>.just(output) }
  }

  /// Transforms the error of a failure.
  ///
  /// The closure runs once per subscriber, when this publisher fails.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// struct Alert: Error { let text: String }
  /// let page: ErasedPublisher<String, LoadError> = .fail(.offline)
  /// let token = page.mapError { Alert(text: "We are \($0).") }.sink(
  ///   receiveCompletion: { if case .failure(let alert) = $0 { print(alert.text) } },
  ///   receiveValue: { print($0) })
  /// // prints "We are offline."
  /// ```
  public func mapError<NewFailure: Error>(
    _ transform: @escaping @Sendable (Failure) -> NewFailure
  ) -> ErasedPublisher<Output, NewFailure> {
    `catch` { ErasedPublisher<Output, NewFailure>.fail(transform($0)) }
  }
}

private enum CatchInput<Output: Sendable, Failure: Error, NewFailure: Error>: Sendable {
  case first(PublisherEvent<Output, Failure>)
  case second(PublisherEvent<Output, NewFailure>)
}
