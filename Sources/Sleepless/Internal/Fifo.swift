/// A first-in, first-out queue. Adding and taking an element cost O(1), amortised.
///
/// With an array that moves its elements at each removal, "receive with 100k waiting" in Benchmarks/compare takes
/// eight times as long.
package struct Fifo<Element> {
  // Invariant: the elements before `head` are nil; the elements from `head` on are not.
  private var elements: ContiguousArray<Element?> = []
  private var head = 0

  package init() {}

  package var isEmpty: Bool { head == elements.count }

  package var first: Element? { head < elements.count ? elements[head] : nil }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer { closeGap() }
    return elements[head].take()
  }

  private mutating func closeGap() {
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64, head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
  }
}
