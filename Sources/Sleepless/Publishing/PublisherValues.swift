extension PublisherType where Failure == Never {
  /// The values as an asynchronous sequence.
  ///
  /// ```swift
  /// for await value in publisher.prefix(2).values {
  ///   print(value)
  /// }
  /// ```
  ///
  /// Each iterator subscribes for itself when it is made, which a `for` loop does before its first
  /// round, and misses nothing from then on: values that come while the loop is busy wait, without
  /// limit. The loop ends when the publisher does, and when its task is cancelled; either, and
  /// leaving the loop, ends the subscription.
  public var values: PublisherValues<Output> {
    PublisherValues(publisher: eraseToAnyPublisher())
  }
}

extension PublisherType {
  /// The values as an asynchronous sequence, which throws when the publisher fails.
  ///
  /// Each iterator subscribes for itself when it is made and misses nothing from then on. A
  /// cancelled task's loop ends without an error.
  @_disfavoredOverload
  public var values: ThrowingPublisherValues<Output, Failure> {
    ThrowingPublisherValues(publisher: eraseToAnyPublisher())
  }
}

/// The values of a publisher that cannot fail, as an asynchronous sequence.
public struct PublisherValues<Element: Sendable>: AsyncSequence, Sendable {
  let publisher: ErasedPublisher<Element, Never>

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator {
    let stream = AsyncStream<Element> { continuation in
      let token = publisher.subscribe(
        receiveCompletion: { _ in continuation.finish() },
        receiveValue: { continuation.yield($0) })
      continuation.onTermination = { _ in token.cancel() }
    }
    return Iterator(base: stream.makeAsyncIterator())
  }

  /// One subscription to the publisher.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Element>.Iterator

    /// Waits for the next value; nil when there is none, or the task is cancelled.
    public mutating func next() async -> Element? { await base.next() }
  }
}

/// The values of a publisher, as an asynchronous sequence that throws if it fails.
public struct ThrowingPublisherValues<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  let publisher: ErasedPublisher<Element, Failure>

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator {
    let stream = AsyncThrowingStream<Element, any Error> { continuation in
      let token = publisher.subscribe { completion in
        switch completion {
        case .finished: continuation.finish()
        case .failure(let error): continuation.finish(throwing: error)
        }
      } receiveValue: {
        continuation.yield($0)
      }
      continuation.onTermination = { _ in token.cancel() }
    }
    return Iterator(base: stream.makeAsyncIterator())
  }

  /// One subscription to the publisher.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<Element, any Error>.Iterator

    /// Waits for the next value; nil when there is none, or the task is cancelled.
    public mutating func next() async throws -> Element? { try await base.next() }
  }
}
