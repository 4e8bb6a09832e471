import Sleepless
import Testing
import TestSupport

@Suite struct FifoTests {
  @Test func `elements come out in the order in which they went in`() {
    var fifo = Fifo<Int>()
    for number in 1...3 { fifo.append(number) }
    #expect(fifo.first == 1)
    #expect(!fifo.isEmpty)
    let taken = (1...4).map { _ in fifo.popFirst() }
    #expect(taken == [1, 2, 3, nil])
    #expect(fifo.isEmpty)
    #expect(fifo.first == nil)
  }

  @Test func `a queue that is never empty does what an array does`() {
    var fifo = Fifo<Int>()
    var array: [Int] = []
    for number in 0..<1_000 {
      for copy in 0..<3 {
        fifo.append(number * 3 + copy)
        array.append(number * 3 + copy)
      }
      for _ in 0..<2 { #expect(fifo.popFirst() == array.removeFirst()) }
    }
    while let next = fifo.popFirst() { #expect(next == array.removeFirst()) }
    #expect(array == [])
  }

  @Test func `an element is released when it is taken`() {
    let released = Log<Int>()
    var fifo = Fifo<Probe>()
    for number in 1...2 { fifo.append(Probe { released.append(number) }) }
    _ = fifo.popFirst()
    #expect(released.values == [1])
    withExtendedLifetime(fifo) {}
  }
}
