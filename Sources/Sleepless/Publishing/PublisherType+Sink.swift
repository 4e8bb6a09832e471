extension PublisherType {
  /// Subscribes two closures: one for the end, one for the values.
  ///
  /// They run on the thread that sends, as in Combine; use `receive(on:)` for another one. As in
  /// Combine, too, they need not be `@Sendable`, so that a test can collect values in a variable.
  /// What the compiler then cannot check is checked when it happens: subscribed on an actor, the
  /// main actor for instance, the closures stop the program if they are called anywhere else.
  /// Subscribed outside of all actors they may touch only what the sending threads may touch.
  ///
  /// ```swift
  /// var names: [String] = []
  /// let token = publisher.sink { completion in
  ///   print(completion)
  /// } receiveValue: { name in
  ///   names.append(name)
  /// }
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
  /// It runs on the thread that sends; use `receive(on:)` for another one. Subscribed on an actor,
  /// it stops the program if it is called anywhere else.
  public func sink(
    isolation: isolated (any Actor)? = #isolation,
    receiveValue: @escaping (Output) -> Void
  ) -> SubscriptionToken {
    let values = Callback(receiveValue, isolation: isolation)
    return subscribe(receiveCompletion: { _ in }, receiveValue: { values.call($0) })
  }
}

/// Unchecked because its closure need not be `@Sendable`: a closure made on an actor is called only
/// there, and for the others the rule above holds, which is Combine's.
private struct Callback<Value>: @unchecked Sendable {
  private let body: (Value) -> Void
  private let isolation: (any Actor)?

  init(_ body: @escaping (Value) -> Void, isolation: (any Actor)?) {
    self.body = body
    self.isolation = isolation
  }

  func call(_ value: Value) {
    isolation?.preconditionIsolated("Use receive(on:) to receive on the subscriber's actor.")
    body(value)
  }
}
