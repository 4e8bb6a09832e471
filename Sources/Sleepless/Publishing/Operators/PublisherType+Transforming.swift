// These operators keep nothing from one value to the next. A subscription costs the closure and, as the user's closure
// may cancel it, a flag.

extension PublisherType {
  /// Transforms each value.
  ///
  /// The closure runs once per subscriber and value, on the sending thread.
  ///
  /// ```swift
  /// let sizes = EventSubject<Int, Never>()
  /// let token = sizes.map { "\($0) bytes" }.sink { print($0) }
  /// sizes.send(20)  // prints 20 bytes
  /// ```
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
  ///
  /// ```swift
  /// let texts = EventSubject<String, Never>()
  /// let token = texts.compactMap { Int($0) }.sink { print($0) }
  /// for text in ["1", "two", "3"] { texts.send(text) }  // prints 1, then 3
  /// ```
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
  ///
  /// ```swift
  /// let numbers = EventSubject<Int, Never>()
  /// let token = numbers.filter { $0 > 1 }.sink { print($0) }
  /// for number in [1, 2, 3] { numbers.send(number) }  // prints 2, then 3
  /// ```
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
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let cached: ErasedPublisher<String, Never> = .just("cached")
  /// let loaded = EventSubject<String, LoadError>()
  /// let pages = cached.setFailureType(to: LoadError.self).merge(with: loaded)
  /// let token = pages.replaceError(with: "error").sink { print($0) }  // prints cached
  /// loaded.send("loaded")  // prints loaded
  /// ```
  public func setFailureType<NewFailure: Error>(
    to type: NewFailure.Type
  ) -> ErasedPublisher<Output, NewFailure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      subscribe(
        receiveCompletion: { _ in receiveCompletion(.finished) }, receiveValue: receiveValue)
    }
  }
}
