/// Elements that a test sends one at a time, each when the one before has been dealt with.
///
/// Whoever iterates asks for the next element when it has done with the last, so ``send(_:)`` can
/// wait for that instead of for time. One task sends, one iterates.
final class Feed<Element: Sendable>: AsyncSequence, Sendable {
  private let elements: AsyncStream<Element>
  private let demands: AsyncStream<Void>
  private let input: AsyncStream<Element>.Continuation
  private let demand: AsyncStream<Void>.Continuation

  init() {
    (elements, input) = AsyncStream.makeStream()
    (demands, demand) = AsyncStream.makeStream()
  }

  /// Hands over an element and returns when the one after it is asked for.
  func send(_ element: Element) async {
    input.yield(element)
    for await _ in demands { break }
  }

  /// Says that no element follows.
  func finish() { input.finish() }

  /// Returns when the first element is asked for.
  func waitForDemand() async { for await _ in demands { break } }

  func makeAsyncIterator() -> Iterator {
    Iterator(elements: elements.makeAsyncIterator(), demand: demand)
  }

  struct Iterator: AsyncIteratorProtocol {
    var elements: AsyncStream<Element>.Iterator
    let demand: AsyncStream<Void>.Continuation

    mutating func next() async -> Element? {
      demand.yield()
      return await elements.next()
    }
  }
}
