/// A queue: what is first in is first out. Adding and taking cost O(1), amortised.
///
/// Other modules inline it in release, as `Locked`: else they would ask the runtime for its type.
@usableFromInline package struct Fifo<Element> {
  // Invariant: everything before `head` is nil, everything from it on is not.
  @usableFromInline package var elements: ContiguousArray<Element?> = []
  @usableFromInline package var head = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { head == elements.count }

  @inlinable package var first: Element? { head < elements.count ? elements[head] : nil }

  @inlinable package mutating func append(_ element: Element) { elements.append(element) }

  @inlinable package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer { closeGap() }
    return elements[head].take()
  }

  @inlinable package mutating func closeGap() {
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
