import Sleepless

/// A priority queue: the least element first, equal ones in no particular order.
///
/// A binary heap: J. W. J. Williams, "Algorithm 232: Heapsort", 1964. `insert` and `popMin` are O(log n),
/// `min` is O(1).
package struct Heap<Element: Comparable> {
  // Invariant: no element is less than its parent, elements[(i - 1) / 2].
  private var elements: ContiguousArray<Element> = []

  package init() {}

  package var count: Int { elements.count }
  package var min: Element? { elements.first }
  package var unordered: ContiguousArray<Element> { elements }

  package mutating func insert(_ element: Element) {
    elements.append(element)
    var node = elements.count - 1
    while node > 0, elements[node] < elements[(node - 1) / 2] {
      elements.swapAt(node, (node - 1) / 2)
      node = (node - 1) / 2
    }
  }

  /// Adds an element at the end, out of order. Call `removeAll` or `filter` before `min` or `popMin`.
  package mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the least element; the heap must not be empty.
  package mutating func popMin() -> Element {
    elements.swapAt(0, elements.count - 1)
    defer { siftDown(from: 0) }
    return elements.removeLast()
  }

  /// Keeps the elements that satisfy the condition. O(n).
  package mutating func filter(_ isIncluded: (Element) -> Bool) {
    elements.removeAll { !isIncluded($0) }
    for node in (0..<elements.count / 2).reversed() { siftDown(from: node) }
  }

  /// Removes and returns all elements, in no particular order.
  @discardableResult
  package mutating func removeAll() -> ContiguousArray<Element> {
    defer { elements = [] }
    return elements
  }

  private mutating func siftDown(from start: Int) {
    var node = start
    while 2 * node + 1 < elements.count {
      let left = 2 * node + 1
      let right = left + 1
      let least = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[least] < elements[node] else { return }
      elements.swapAt(node, least)
      node = least
    }
  }
}
