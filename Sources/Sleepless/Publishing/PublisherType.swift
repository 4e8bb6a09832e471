/// Something that can be subscribed to: values over time, then perhaps one end.
///
/// A view model publishes its state through one of these, with or without Combine:
///
/// ```swift
/// let taps = EventSubject<String, Never>()
/// let token = taps.map { $0.uppercased() }.sink { print($0) }
/// taps.send("hello")  // prints HELLO
/// ```
///
/// There is no back-pressure: a subscriber gets every event as it comes and cannot ask for fewer.
/// Values must be `Sendable`, because whoever sends decides on which thread they arrive.
///
/// A type that conforms implements ``subscribe(receiveCompletion:receiveValue:)`` and keeps these
/// rules, which every operator relies on: it calls a subscriber's closures one at a time, calls
/// nothing after the completion, starts no call after `cancel()` of the token has returned, holds no
/// lock while it calls, and lets go of the closures after either.
public protocol PublisherType<Output, Failure>: Sendable {
  /// The values.
  associatedtype Output: Sendable
  /// Why the publisher may fail; `Never` if it cannot.
  associatedtype Failure: Error

  /// Subscribes two closures, which may be called from any thread, but never both at once.
  ///
  /// They may be called before this function returns. `sink` is the friendlier form.
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
