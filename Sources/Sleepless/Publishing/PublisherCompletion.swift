/// How a publisher ended.
public enum PublisherCompletion<Failure: Error>: Sendable {
  /// It has nothing more to say.
  case finished
  /// It failed.
  case failure(Failure)
}

extension PublisherCompletion: Equatable where Failure: Equatable {}
extension PublisherCompletion: Hashable where Failure: Hashable {}

/// What a publisher says: a value, or that it has ended.
package enum PublisherEvent<Output: Sendable, Failure: Error>: Sendable {
  case value(Output)
  case completion(PublisherCompletion<Failure>)
}

extension PublisherEvent: Equatable where Output: Equatable, Failure: Equatable {}
