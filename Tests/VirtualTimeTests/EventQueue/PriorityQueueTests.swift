import Sleepless
import Testing
import VirtualTime

@Suite struct PriorityQueueTests {
  @Test(arguments: [0, 1, 31, 32, 33, 34, 64, 65, 66, 67, 1000])
  func `elements come out in order, equal ones included`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var queue = PriorityQueue<Int>()
    let elements = (0..<count).map { _ in Int.random(in: 0..<max(1, count / 2), using: &random) }
    for element in elements { queue.insert(element) }
    #expect(queue.count == count)
    #expect(queue.unordered.sorted() == elements.sorted())
    let least = queue.min
    #expect(least == elements.min())
    #expect((0..<count).map { _ in queue.popMin() } == elements.sorted())
    let none = queue.min
    #expect(none == nil)
  }

  /// Phases of growth and decline, so that new elements are merged into runs of all sizes.
  @Test func `any mixture of operations agrees with a sorted array`() {
    var random = SeededGenerator(seed: 5)
    var queue = PriorityQueue<Int>()
    var sorted: [Int] = []
    for step in 0..<6000 {
      let element = Int.random(in: 0..<1000, using: &random)
      let isGrowing = step / 300 % 2 == 0
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<(isGrowing ? 75 : 25):
        queue.insert(element)
        sorted.insert(element, at: sorted.firstIndex { $0 > element } ?? sorted.count)
      case 99 where step % 3 == 0:
        queue.filter { $0 % 10 != element % 10 }
        sorted.removeAll { $0 % 10 == element % 10 }
      default:
        guard !sorted.isEmpty else { continue }
        #expect(queue.popMin() == sorted.removeFirst(), "step \(step)")
      }
      // Not always, so that new elements also pile up before a merge.
      if step % 3 != 1 {
        let least = queue.min
        #expect(least == sorted.first, "step \(step)")
      }
      #expect(queue.count == sorted.count, "step \(step)")
    }
    #expect(queue.unordered.sorted() == sorted)
    queue.removeAll()
    #expect(queue.count == 0)
    let none = queue.min
    #expect(none == nil)
  }
}
