// These operators keep nothing from one value to the next. A subscription costs the closure and, as the user's closure
// may cancel it, a flag.

extension PublisherType {
  /// Transforms each value.
  ///
  /// The closure runs once per subscriber and value, on the sending thread.
  public func map<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) -> NewOutput
  ) -> ErasedPublisher<NewOutput, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let state = SubscriptionState(startsWithInitialValue: false)
      let token = subscribe(receiveCompletion: receiveCompletion) { value in
        let newValue = transform(value)
        if state.isLive { receiveValue(newValue) }
      }
      return state.token(ending: token)
    }
  }

  /// Transforms each value and drops the nil results.
  public func compactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) -> NewOutput?
  ) -> ErasedPublisher<NewOutput, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let state = SubscriptionState(startsWithInitialValue: false)
      let token = subscribe(receiveCompletion: receiveCompletion) { value in
        if let value = transform(value), state.isLive { receiveValue(value) }
      }
      return state.token(ending: token)
    }
  }

  /// Drops the values that do not satisfy a condition.
  public func filter(
    _ isIncluded: @escaping @Sendable (Output) -> Bool
  ) -> ErasedPublisher<Output, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let state = SubscriptionState(startsWithInitialValue: false)
      let token = subscribe(receiveCompletion: receiveCompletion) { value in
        if isIncluded(value), state.isLive { receiveValue(value) }
      }
      return state.token(ending: token)
    }
  }
}

extension PublisherType where Failure == Never {
  /// Gives a publisher that cannot fail the type of an error, for a place where one is expected.
  public func setFailureType<NewFailure: Error>(
    to type: NewFailure.Type
  ) -> ErasedPublisher<Output, NewFailure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      subscribe(
        receiveCompletion: { _ in receiveCompletion(.finished) }, receiveValue: receiveValue)
    }
  }
}
