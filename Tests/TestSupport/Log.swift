import Sleepless

/// Collects what happened, from any thread.
package final class Log<Element: Sendable>: Sendable {
  private let elements = Locked<[Element]>([])

  package init() {}

  // A copy: the thread sanitizer does not see that a shared array is written only later.
  package var values: [Element] { elements.withLock { $0.map { $0 } } }

  package func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
