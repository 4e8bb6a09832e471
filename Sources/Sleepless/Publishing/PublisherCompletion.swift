/// The way a publisher ended.
///
/// ```swift
/// let progress = EventSubject<Int, Never>()
/// let token = progress.sink(
///   receiveCompletion: { end in if case .finished = end { print("done") } },
///   receiveValue: { print("\($0) %") })
/// ```
public enum PublisherCompletion<Failure: Error>: Sendable {
  /// The publisher will send nothing more.
  case finished
  /// The publisher failed.
  case failure(Failure)
}

extension PublisherCompletion: Equatable where Failure: Equatable {}
extension PublisherCompletion: Hashable where Failure: Hashable {}

/// An event of a publisher: a value, or the end.
package enum PublisherEvent<Output: Sendable, Failure: Error>: Sendable {
  case value(Output)
  case completion(PublisherCompletion<Failure>)
}

extension PublisherEvent: Equatable where Output: Equatable, Failure: Equatable {}
