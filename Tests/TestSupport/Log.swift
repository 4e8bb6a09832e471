import Sleepless

/// Collects values from any thread, in order.
package final class Log<Element: Sendable>: Sendable {
  private let elements = Locked<[Element]>([])

  package init() {}

  // A copy: the thread sanitizer does not see that another thread writes the shared array only
  // later.
  package var values: [Element] { elements.withLock { $0.map { $0 } } }

  package func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
