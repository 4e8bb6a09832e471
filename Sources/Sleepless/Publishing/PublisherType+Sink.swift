extension PublisherType {
  /// Subscribes two closures: one for the end, one for the values.
  ///
  /// The closures run on the sending thread, as in Combine; use `receive(on:)` for another thread.
  /// Also as in Combine, they need not be `@Sendable`, so a test can collect values in a variable.
  /// A check at run time replaces the compiler's: closures subscribed on an actor, such as the main
  /// actor, stop the program if they are called elsewhere. Closures subscribed outside of all
  /// actors may use only state that the sending threads may use.
  ///
  /// ```swift
  /// let publisher = StateSubject<String, Never>("Ada")
  /// var names: [String] = []
  /// let token = publisher.sink { completion in
  ///   print(completion)
  /// } receiveValue: { name in
  ///   names.append(name)
  /// }
  /// publisher.send(completion: .finished)  // prints finished
  /// #expect(names == ["Ada"])
  /// ```
  public func sink(
    isolation: isolated (any Actor)? = #isolation,
    receiveCompletion: @escaping (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> SubscriptionToken {
    let completions = Callback(receiveCompletion, isolation: isolation)
    let values = Callback(receiveValue, isolation: isolation)
    return subscribe(
      receiveCompletion: { completions.call($0) }, receiveValue: { values.call($0) })
  }
}

extension PublisherType where Failure == Never {
  /// Subscribes a closure to the values of a publisher that cannot fail.
  ///
  /// The closure runs on the sending thread; use `receive(on:)` for another thread. Subscribed on
  /// an actor, it stops the program if it is called elsewhere.
  ///
  /// ```swift
  /// let names = StateSubject<String, Never>("Ada")
  /// var shown: [String] = []
  /// let token = names.sink { shown.append($0) }
  /// names.send("Tom")
  /// #expect(shown == ["Ada", "Tom"])
  /// ```
  public func sink(
    isolation: isolated (any Actor)? = #isolation,
    receiveValue: @escaping (Output) -> Void
  ) -> SubscriptionToken {
    let values = Callback(receiveValue, isolation: isolation)
    return subscribe(receiveCompletion: { _ in }, receiveValue: { values.call($0) })
  }
}
