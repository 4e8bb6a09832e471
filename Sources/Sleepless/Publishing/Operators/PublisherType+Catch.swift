extension PublisherType {
  /// Continues with another publisher after a failure.
  ///
  /// The closure runs once per subscriber, when this publisher fails.
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
  public func replaceError(with output: Output) -> ErasedPublisher<Output, Never> {
    `catch` { _ in ErasedPublisher<Output, Never>.just(output) }
  }

  /// Transforms the error of a failure.
  ///
  /// The closure runs once per subscriber, when this publisher fails.
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
