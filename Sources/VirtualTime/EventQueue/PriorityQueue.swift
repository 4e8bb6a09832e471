import Sleepless

/// A priority queue for many elements: the least first.
///
/// Newcomers go into a heap. When they are the majority they are sorted, once, and merged into a
/// run whose least element is the last: from there taking costs next to nothing, and memory is read
/// in order. Cost per element O(log n), amortised, with a constant well below a heap's alone: a
/// heap of a million misses the cache at almost every level. The idea is the lazy queue of
/// R. Rönngren, J. Riboe, R. Ayani, "Lazy queue: an efficient implementation of the pending-event
/// set", 1991.
package struct PriorityQueue<Element: Comparable> {
  // Invariant: in the order of a heap, unless they are the majority.
  private var newcomers = Heap<Element>()
  // Invariant: sorted, greatest first.
  private var run: ContiguousArray<Element> = []

  /// Below this a heap is as fast.
  private static var smallest: Int { 32 }

  private let sortDescending: (@Sendable (inout ContiguousArray<Element>) -> Void)?

  /// Makes an empty queue, which sorts by comparing unless it is told a better way.
  package init(
    sortDescending: (@Sendable (inout ContiguousArray<Element>) -> Void)? = nil
  ) {
    self.sortDescending = sortDescending
  }

  package var count: Int { newcomers.count + run.count }

  package var unordered: ContiguousArray<Element> { run + newcomers.unordered }

  package var min: Element? {
    mutating get {
      if areNewcomersMajority { mergeNewcomers() }
      return least
    }
  }

  @inline(__always)
  private var least: Element? {
    guard let last = run.last else { return newcomers.min }
    guard let new = newcomers.min, new < last else { return last }
    return new
  }

  @inline(__always)
  package mutating func insert(_ element: Element) {
    // A majority will be sorted; the heap's order would be wasted on it.
    if areNewcomersMajority { newcomers.append(element) } else { newcomers.insert(element) }
  }

  /// How many elements are sorted.
  package var sortedCount: Int { run.count }

  /// Shows the least of the sorted elements, no more than `count`.
  package func forEachUpcoming(_ count: Int, _ body: (Element) -> Void) {
    run.withUnsafeBufferPointer { $0.suffix(count).forEach(body) }
  }

  /// Removes and returns the least element; the queue must not be empty.
  @inline(__always)
  @discardableResult
  package mutating func popMin() -> Element {
    if areNewcomersMajority { mergeNewcomers() }
    guard let last = run.last else { return newcomers.popMin() }
    if let new = newcomers.min, new < last { return newcomers.popMin() }
    return run.removeLast()
  }

  /// Keeps the elements that satisfy the condition. O(n).
  package mutating func filter(_ isIncluded: (Element) -> Bool) {
    newcomers.filter(isIncluded)
    run.removeAll { !isIncluded($0) }
  }

  package mutating func removeAll() {
    newcomers.removeAll()
    run = []
  }

  private var areNewcomersMajority: Bool {
    newcomers.count > Self.smallest && newcomers.count > run.count
  }

  private mutating func mergeNewcomers() {
    var new = newcomers.removeAll()
    if let sortDescending { sortDescending(&new) } else { new.sort { $1 < $0 } }
    guard !run.isEmpty else { return run = new }
    var merged = ContiguousArray<Element>()
    merged.reserveCapacity(run.count + new.count)
    var (i, j) = (0, 0)
    while i < run.count, j < new.count {
      if run[i] < new[j] {
        merged.append(new[j])
        j += 1
      } else {
        merged.append(run[i])
        i += 1
      }
    }
    merged += run[i...]
    merged += new[j...]
    run = merged
  }
}
