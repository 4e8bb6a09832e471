import Sleepless

/// A priority queue for many elements: the least first.
///
/// New elements go into a heap. When they are the majority they are sorted, once, and merged into a
/// run whose least element is the last: taking from there costs next to nothing, and memory is read
/// in order. The cost per element is O(log n), amortised, with a constant well below a heap's: a
/// heap of a million misses the cache at almost every level. The idea is the lazy queue of
/// R. Rönngren, J. Riboe, R. Ayani, "Lazy queue: an efficient implementation of the pending-event
/// set", 1991. A heap alone takes twice as long in `schedule+run 16k` and almost four times as long in
/// `schedule+run 1M` (`Benchmarks/compare`, release).
package struct PriorityQueue<Element: Comparable> {
  // Invariant: in heap order, unless they are the majority.
  private var recent = Heap<Element>()
  // Invariant: sorted, greatest first.
  private var run: ContiguousArray<Element> = []

  /// Up to this number of elements a heap alone is as fast.
  private static var smallest: Int { 32 }

  private let sortDescending: (@Sendable (inout ContiguousArray<Element>) -> Void)?

  /// Makes an empty queue, which sorts by comparing unless it gets another function.
  package init(
    sortDescending: (@Sendable (inout ContiguousArray<Element>) -> Void)? = nil
  ) {
    self.sortDescending = sortDescending
  }

  package var count: Int { recent.count + run.count }

  package var unordered: ContiguousArray<Element> { run + recent.unordered }

  package var min: Element? {
    mutating get {
      if areRecentMajority { mergeRecent() }
      return least
    }
  }

  @inline(__always)
  private var least: Element? {
    guard let last = run.last else { return recent.min }
    guard let new = recent.min, new < last else { return last }
    return new
  }

  @inline(__always)
  package mutating func insert(_ element: Element) {
    // A majority will be sorted, so heap order would be wasted.
    if areRecentMajority { recent.append(element) } else { recent.insert(element) }
  }

  /// How many elements are sorted.
  package var sortedCount: Int { run.count }

  /// Calls `body` with the least of the sorted elements, at most `count`.
  package func forEachUpcoming(_ count: Int, _ body: (Element) -> Void) {
    run.withUnsafeBufferPointer { $0.suffix(count).forEach(body) }
  }

  /// Removes and returns the least element; the queue must not be empty.
  @inline(__always)
  @discardableResult
  package mutating func popMin() -> Element {
    if areRecentMajority { mergeRecent() }
    guard let last = run.last else { return recent.popMin() }
    if let new = recent.min, new < last { return recent.popMin() }
    return run.removeLast()
  }

  /// Keeps the elements that satisfy the condition. O(n).
  package mutating func filter(_ isIncluded: (Element) -> Bool) {
    recent.filter(isIncluded)
    run.removeAll { !isIncluded($0) }
  }

  package mutating func removeAll() {
    recent.removeAll()
    run = []
  }

  private var areRecentMajority: Bool {
    recent.count > Self.smallest && recent.count > run.count
  }

  private mutating func mergeRecent() {
    var new = recent.removeAll()
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
