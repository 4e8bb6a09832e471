extension PublisherType {
  /// Calls closures for the events of each subscription, before the subscriber gets them.
  ///
  /// ```swift
  /// let answers = EventSubject<String, Never>()
  /// let token = answers.handleEvents(
  ///   receiveSubscription: { _ in print("loading") },
  ///   receiveOutput: { _ in print("loaded") }
  /// ).sink { print($0) }  // prints loading
  /// answers.send("Ada")  // prints loaded, then Ada
  /// ```
  ///
  /// The closures follow the rules of `sink`: they run on the sending thread and need not be `@Sendable`. Called on
  /// an actor, this function returns a publisher whose closures stop the program if they are called elsewhere.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the closures.
  ///   - receiveSubscription: Called before the subscription to this publisher. Its parameter cancels the
  ///     subscription.
  ///   - receiveOutput: Gets each value.
  ///   - receiveCompletion: Gets the end.
  ///   - receiveCancel: Called when the subscription is over without an end, because its token or the publisher was
  ///     cancelled or released, on the thread that did so.
  public func handleEvents(
    isolation: isolated (any Actor)? = #isolation,
    receiveSubscription: ((any CancellableType) -> Void)? = nil,
    receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((PublisherCompletion<Failure>) -> Void)? = nil,
    receiveCancel: (() -> Void)? = nil
  ) -> ErasedPublisher<Output, Failure> {
    let subscriptions = receiveSubscription.map { Callback($0, isolation: isolation) }
    let values = receiveOutput.map { Callback($0, isolation: isolation) }
    let completions = receiveCompletion.map { Callback($0, isolation: isolation) }
    let cancellations = receiveCancel.map { Callback($0, isolation: isolation) }
    return ErasedPublisher { receiveCompletion, receiveValue in
      // Set by the end or by a cancellation, whichever comes first.
      let isOver = Locked(false)
      let subscription = OperatorSubscription<PublisherEvent<Output, Failure>, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, event in
        switch event {
        case .value(let value):
          values?.call(value)
          subscription.send(value)
        case .completion(let completion):
          guard isOver.setForTheFirstTime() else { return }
          completions?.call(completion)
          subscription.send(completion)
        }
      }
      subscriptions?.call(subscription)
      subscription.keep(
        SubscriptionToken { if isOver.setForTheFirstTime() { cancellations?.call(()) } })
      subscription.subscribe(to: self) { $0 }
      return subscription.token
    }
  }
}
