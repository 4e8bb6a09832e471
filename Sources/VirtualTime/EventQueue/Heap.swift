import Sleepless

/// A priority queue: the least element first, equal ones in no particular order.
///
/// A heap of four children per node (D. B. Johnson, "Priority queues with update and finding minimum
/// spanning trees", 1975): half the depth of a binary one, and the four children share two cache
/// lines. `insert` is O(log n), `popMin` O(log n), `min` O(1). Elements should be small and trivial.
package struct Heap<Element: Comparable> {
  // Invariant: no element is less than its parent, elements[(i - 1) / 4].
  private var elements: ContiguousArray<Element> = []

  package init() {}

  package var count: Int { elements.count }
  package var min: Element? { elements.first }
  package var unordered: ContiguousArray<Element> { elements }

  package mutating func insert(_ element: Element) {
    elements.append(element)
    elements.withUnsafeMutableBufferPointer { Self.siftUp($0, hole: $0.count - 1, element) }
  }

  /// Adds an element at the end, out of order. Call `removeAll` or `filter` before `min` or `popMin`.
  package mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the least element; the heap must not be empty.
  package mutating func popMin() -> Element {
    let last = elements.removeLast()
    guard let least = elements.first else { return last }
    elements.withUnsafeMutableBufferPointer { Self.siftDown($0, hole: 0, last) }
    return least
  }

  /// Keeps the elements that satisfy the condition. O(n).
  package mutating func filter(_ isIncluded: (Element) -> Bool) {
    elements.removeAll { !isIncluded($0) }
    guard elements.count > 1 else { return }
    elements.withUnsafeMutableBufferPointer { buffer in
      for node in stride(from: (buffer.count - 2) / 4, through: 0, by: -1) {
        Self.siftDown(buffer, hole: node, buffer[node])
      }
    }
  }

  /// Removes and returns all elements, in no particular order.
  @discardableResult
  package mutating func removeAll() -> ContiguousArray<Element> {
    defer { elements = [] }
    return elements
  }

  @inline(__always)
  private static func siftUp(
    _ nodes: UnsafeMutableBufferPointer<Element>, hole start: Int, top: Int = 0, _ element: Element
  ) {
    var hole = start
    while hole > top {
      let parent = (hole - 1) / 4
      guard element < nodes[parent] else { break }
      nodes[hole] = nodes[parent]
      hole = parent
    }
    nodes[hole] = element
  }

  @inline(__always)
  private static func siftDown(
    _ nodes: UnsafeMutableBufferPointer<Element>, hole start: Int, _ element: Element
  ) {
    // Moves the hole all the way down, and then the element up again. An element from the end belongs near
    // the end, so comparing it at each level is wasted (I. Wegener, "Bottom-up heapsort", 1993).
    var hole = start
    let count = nodes.count
    var first = 4 &* hole &+ 1
    while first &+ 3 < count {
      // The results of the three comparisons cannot be predicted, so this is arithmetic without branches.
      let left = first &+ (nodes[first &+ 1] < nodes[first] ? 1 : 0)
      let right = first &+ 2 &+ (nodes[first &+ 3] < nodes[first &+ 2] ? 1 : 0)
      let least = left &+ (right &- left) &* (nodes[right] < nodes[left] ? 1 : 0)
      nodes[hole] = nodes[least]
      hole = least
      first = 4 &* hole &+ 1
    }
    if first < count {
      var least = first
      for child in first + 1..<Swift.max(first + 1, count) where nodes[child] < nodes[least] {
        least = child
      }
      nodes[hole] = nodes[least]
      hole = least
    }
    siftUp(nodes, hole: hole, top: start, element)
  }
}
