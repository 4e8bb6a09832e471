extension PublisherType where Failure == Never {
  /// The values as an asynchronous sequence.
  ///
  /// ```swift
  /// let numbers = StateSubject<Int, Never>(1)
  /// for await number in numbers.prefix(2).values {
  ///   print(number)  // prints 1, then 2
  ///   numbers.send(2)
  /// }
  /// ```
  ///
  /// Each iterator makes a subscription of its own; a `for` loop makes its iterator before its
  /// first round. The iterator misses no event from then on: values wait, without limit, while the
  /// loop is busy. The loop ends after the publisher's end; in a cancelled task, after the values
  /// that wait. The end of the loop, also by `break`, cancels the subscription.
  public var values: PublisherValues<Output> {
    PublisherValues(publisher: eraseToAnyPublisher())
  }
}

extension PublisherType {
  /// The values as an asynchronous sequence that throws if the publisher fails.
  ///
  /// Each iterator makes a subscription of its own and misses no event from then on. In a cancelled
  /// task the loop ends after the values that wait, without an error.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let page: ErasedPublisher<Int, LoadError> = .fail(.offline)
  /// do {
  ///   for try await number in page.values { print(number) }
  /// } catch { print(error) }  // prints offline
  /// ```
  @_disfavoredOverload
  public var values: ThrowingPublisherValues<Output, Failure> {
    ThrowingPublisherValues(publisher: eraseToAnyPublisher())
  }
}

/// The values of a publisher that cannot fail, as an asynchronous sequence.
public struct PublisherValues<Element: Sendable>: AsyncSequence, Sendable {
  let publisher: ErasedPublisher<Element, Never>

  /// Subscribes to the publisher.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// var values = subject.values.makeAsyncIterator()  // subscribes
  /// subject.send(1)
  /// subject.send(completion: .finished)
  /// #expect(await values.next() == 1)
  /// #expect(await values.next() == nil)
  /// ```
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

    /// Waits for the next value; nil after the end; in a cancelled task, nil after the values that wait.
    ///
    /// ```swift
    /// let subject = EventSubject<Int, Never>()
    /// var values = subject.values.makeAsyncIterator()  // subscribes
    /// subject.send(1)
    /// subject.send(completion: .finished)
    /// #expect(await values.next() == 1)
    /// #expect(await values.next() == nil)
    /// ```
    public mutating func next() async -> Element? { await base.next() }
  }
}

/// The values of a publisher, as an asynchronous sequence that throws if the publisher fails.
public struct ThrowingPublisherValues<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  let publisher: ErasedPublisher<Element, Failure>

  /// Subscribes to the publisher.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let pages = EventSubject<Int, LoadError>()
  /// var values = pages.values.makeAsyncIterator()  // subscribes
  /// pages.send(1)
  /// pages.send(completion: .failure(.offline))
  /// do {
  ///   while let page = try await values.next() { print(page) }  // prints 1
  /// } catch { print(error) }  // prints offline
  /// ```
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

    /// Waits for the next value; nil after the end; in a cancelled task, nil after the values that wait.
    ///
    /// Throws the error of a publisher that has failed.
    ///
    /// The example's error is `enum LoadError: Error { case offline }`.
    ///
    /// ```swift
    /// let pages = EventSubject<Int, LoadError>()
    /// var values = pages.values.makeAsyncIterator()  // subscribes
    /// pages.send(1)
    /// pages.send(completion: .failure(.offline))
    /// do {
    ///   while let page = try await values.next() { print(page) }  // prints 1
    /// } catch { print(error) }  // prints offline
    /// ```
    public mutating func next() async throws -> Element? { try await base.next() }
  }
}
