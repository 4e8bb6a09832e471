/// A priority queue for many elements: the least first.
///
/// Newcomers go into a heap. When they are the majority they are sorted, once, and merged into a
/// run whose least element is the last: from there taking costs next to nothing, and memory is read
/// in order. Cost per element O(log n), amortised, with a constant well below a heap's alone: a
/// heap of a million misses the cache at almost every level. The idea is the lazy queue of
/// R. Rönngren, J. Riboe, R. Ayani, "Lazy queue: an efficient implementation of the pending-event
/// set", 1991.
package struct PriorityQueue<Element: Comparable> {
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
    guard let last = run.last else { return newcomers.min }
    guard let new = newcomers.min, new < last else { return last }
    return new
  }

  package mutating func insert(_ element: Element) { newcomers.insert(element) }

  /// Removes and returns the least element; the queue must not be empty.
  @discardableResult
  package mutating func popMin() -> Element {
    if newcomers.count > Self.smallest, newcomers.count > run.count { mergeNewcomers() }
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
