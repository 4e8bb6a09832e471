extension PublisherType {
  /// Sends the latest value of each publisher, whenever one sends a value and all have sent one.
  ///
  /// Finishes when all have finished, or when one finishes without a value. Fails when one fails.
  ///
  /// ```swift
  /// let names = EventSubject<String, Never>()
  /// let ages = EventSubject<Int, Never>()
  /// let token = names.combineLatest(ages).sink { print("\($0), \($1)") }
  /// names.send("Ada")  // prints nothing
  /// ages.send(36)  // prints Ada, 36
  /// ages.send(37)  // prints Ada, 37
  /// ```
  public func combineLatest<Other: PublisherType>(
    _ other: Other
  ) -> ErasedPublisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
    ErasedPublisher { receiveCompletion, receiveValue in
      let latest = Locked(Latest<Output, Other.Output>())
      typealias Input = LatestInput<Output, Other.Output, Failure>
      let subscription = OperatorSubscription<Input, (Output, Other.Output), Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, input in
        if let failure = input.failure { return subscription.send(.failure(failure)) }
        let (old, new) = latest.withLock { latest in
          let old = latest
          latest.receive(input)
          return (old, latest)
        }
        withExtendedLifetime(old) {}  // released after unlocking
        if let pair = new.pair, input.isValue { subscription.send(pair) }
        if new.isOver { subscription.send(.finished) }
      }
      subscription.subscribe(to: self) { .first($0) }
      subscription.subscribe(to: other) { .second($0) }
      return subscription.token
    }
  }

  /// Sends the latest value of each of three publishers, whenever one of them sends a value and all have sent one.
  ///
  /// Ends as the form for two publishers does.
  ///
  /// ```swift
  /// let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
  /// let blue = EventSubject<Int, Never>()
  /// let token = red.combineLatest(green, blue).sink { print("\($0) \($1) \($2)") }
  /// blue.send(3)  // prints 1 2 3
  /// red.value = 9  // prints 9 2 3
  /// ```
  public func combineLatest<Second: PublisherType, Third: PublisherType>(
    _ second: Second, _ third: Third
  ) -> ErasedPublisher<(Output, Second.Output, Third.Output), Failure>
  where Second.Failure == Failure, Third.Failure == Failure {
    combineLatest(second).combineLatest(third).map { ($0.0, $0.1, $1) }
  }

  /// Sends the result of a closure for the latest value of each publisher, whenever one sends a value and all have
  /// sent one.
  ///
  /// Ends as the form without a closure does.
  ///
  /// ```swift
  /// let (width, height) = (StateSubject<Int, Never>(2), StateSubject<Int, Never>(3))
  /// let token = width.combineLatest(height) { $0 * $1 }.sink { print($0) }  // prints 6
  /// width.value = 4  // prints 12
  /// ```
  public func combineLatest<Other: PublisherType, Result: Sendable>(
    _ other: Other, _ transform: @escaping @Sendable (Output, Other.Output) -> Result
  ) -> ErasedPublisher<Result, Failure> where Other.Failure == Failure {
    combineLatest(other).map { transform($0, $1) }
  }

  /// Sends the result of a closure for the latest value of each of three publishers, whenever one sends a value and all
  /// have sent one.
  ///
  /// Ends as the form without a closure does.
  ///
  /// ```swift
  /// let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
  /// let blue = EventSubject<Int, Never>()
  /// let token = red.combineLatest(green, blue) { $0 + $1 + $2 }.sink { print($0) }
  /// blue.send(3)  // prints 6
  /// red.value = 9  // prints 14
  /// ```
  public func combineLatest<Second: PublisherType, Third: PublisherType, Result: Sendable>(
    _ second: Second, _ third: Third,
    _ transform: @escaping @Sendable (Output, Second.Output, Third.Output) -> Result
  ) -> ErasedPublisher<Result, Failure> where Second.Failure == Failure, Third.Failure == Failure {
    combineLatest(second, third).map { transform($0, $1, $2) }
  }
}

private enum LatestInput<First: Sendable, Second: Sendable, Failure: Error>: Sendable {
  case first(PublisherEvent<First, Failure>)
  case second(PublisherEvent<Second, Failure>)

  var failure: Failure? {
    switch self {
    case .first(.completion(.failure(let error))), .second(.completion(.failure(let error))): error
    default: nil
    }
  }

  var isValue: Bool {
    switch self {
    case .first(.value), .second(.value): true
    default: false
    }
  }
}

/// The latest value of each publisher, and whether the publisher may send more.
private struct Latest<First: Sendable, Second: Sendable>: Sendable {
  private var first: First?
  private var second: Second?
  private var firstIsOpen = true
  private var secondIsOpen = true

  var pair: (First, Second)? {
    guard let first, let second else { return nil }
    return (first, second)
  }

  /// Whether no more pairs can come.
  var isOver: Bool {
    (!firstIsOpen && !secondIsOpen) || (!firstIsOpen && first == nil)
      || (!secondIsOpen && second == nil)
  }

  mutating func receive<Failure>(_ input: LatestInput<First, Second, Failure>) {
    switch input {
    case .first(.value(let value)): first = value
    case .second(.value(let value)): second = value
    case .first(.completion): firstIsOpen = false
    case .second(.completion): secondIsOpen = false
    }
  }
}
