import Sleepless

/// Collects what happened, from any thread.
final class Log<Element: Sendable>: Sendable {
  private let elements = Locked<[Element]>([])

  var values: [Element] { elements.withLock { $0 } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
