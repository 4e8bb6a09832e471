// Each value by itself: nothing is kept from one to the next, so a subscription costs no more than
// the closure, and the token is that of the publisher itself.

extension PublisherType {
  /// Transforms each value.
  ///
  /// The closure runs once per subscriber and value, on the thread that sends.
  public func map<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) -> NewOutput
  ) -> ErasedPublisher<NewOutput, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      subscribe(
        receiveCompletion: receiveCompletion, receiveValue: { receiveValue(transform($0)) })
    }
  }

  /// Transforms each value and leaves out what becomes nil.
  public func compactMap<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) -> NewOutput?
  ) -> ErasedPublisher<NewOutput, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      subscribe(receiveCompletion: receiveCompletion) { value in
        if let value = transform(value) { receiveValue(value) }
      }
    }
  }

  /// Leaves out the values that do not satisfy a condition.
  public func filter(
    _ isIncluded: @escaping @Sendable (Output) -> Bool
  ) -> ErasedPublisher<Output, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      subscribe(receiveCompletion: receiveCompletion) { value in
        if isIncluded(value) { receiveValue(value) }
      }
    }
  }
}
