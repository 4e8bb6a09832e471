/// A source of values over time that may end once, with success or with an error.
///
/// A view model can publish its state with or without Combine:
///
/// ```swift
/// let taps = EventSubject<String, Never>()
/// let token = taps.map { $0.uppercased() }.sink { print($0) }
/// taps.send("hello")  // prints HELLO
/// ```
///
/// There is no back-pressure: a subscriber gets every event as it comes and cannot ask for fewer.
/// Values must be `Sendable`, because the sender decides on which thread they arrive.
///
/// A conforming type implements ``subscribe(receiveCompletion:receiveValue:)`` and keeps these
/// rules, on which every operator relies. It calls a subscriber's closures one at a time. It makes
/// no call after the completion, and starts no call after the token's `cancel()` has returned. It
/// holds no lock during a call. It releases the closures after the completion or the cancellation.
public protocol PublisherType<Output, Failure>: Sendable {
  /// The type of the values.
  associatedtype Output: Sendable
  /// The type of the error; `Never` if the publisher cannot fail.
  associatedtype Failure: Error

  /// Subscribes two closures: one for the end, one for the values.
  ///
  /// Any thread may call them, but never both at once. The calls may begin before this function
  /// returns. `sink` is the form for users.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// let token = subject.subscribe(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) })
  /// subject.send(1)  // prints 1
  /// subject.send(completion: .finished)  // prints finished
  /// ```
  ///
  /// - Parameters:
  ///   - receiveCompletion: Gets the end, at most once.
  ///   - receiveValue: Gets each value.
  /// - Returns: A token that ends the subscription when it is cancelled or released.
  func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken
}
