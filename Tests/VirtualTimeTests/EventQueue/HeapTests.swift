import Sleepless
import Testing
import VirtualTime

@Suite struct HeapTests {
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 16, 17, 21, 22, 1000])
  func `elements come out in order, equal ones included`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    let elements = (0..<count).map { _ in Int.random(in: 0..<max(1, count / 2), using: &random) }
    var heap = Heap(elements)
    #expect(heap.count == count)
    #expect(heap.unordered.sorted() == elements.sorted())
    #expect(heap.popAll() == elements.sorted())
  }

  @Test func `the least element can be seen, and is none when empty`() {
    var heap = Heap<Int>()
    #expect(heap.min == nil)
    heap.insert(2)
    heap.insert(1)
    #expect(heap.min == 1)
    #expect(heap.removeAll().sorted() == [1, 2])
    #expect(heap.min == nil)
  }

  @Test func `any mixture of operations agrees with a sorted array`() {
    var random = SeededGenerator(seed: 4)
    var heap = Heap<Int>()
    var sorted: [Int] = []
    for step in 0..<5000 {
      let element = Int.random(in: 0..<64, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10:
        heap.insert(element)
        sorted.append(element)
      case 10..<15 where !sorted.isEmpty:
        #expect(heap.popMin() == sorted.removeFirst(), "step \(step)")
      case 19:
        heap.filter { $0 % 8 != element % 8 }
        sorted.removeAll { $0 % 8 == element % 8 }
      default: continue
      }
      sorted.sort()
      #expect(heap.min == sorted.first, "step \(step)")
      #expect(heap.count == sorted.count, "step \(step)")
    }
    #expect(heap.popAll() == sorted)
  }

  @Test(arguments: 0..<24)
  func `after a filter the elements that satisfy it come out in order`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var heap = Heap((0..<count).shuffled(using: &random))
    heap.filter { $0 % 3 != 0 }
    #expect(heap.popAll() == (0..<count).filter { $0 % 3 != 0 })
  }
}

extension Heap {
  fileprivate init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { insert(element) }
  }

  fileprivate mutating func popAll() -> [Element] {
    (0..<count).map { _ in popMin() }
  }
}
