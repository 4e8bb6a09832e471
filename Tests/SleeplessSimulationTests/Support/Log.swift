import Sleepless

/// Collects what happened, from any thread.
final class Log<Element: Sendable>: Sendable {
  private let elements = Locked<[Element]>([])

  // A copy: the thread sanitizer does not see that a shared array is written only later.
  var values: [Element] { elements.withLock { $0.map { $0 } } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
