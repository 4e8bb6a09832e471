import SleeplessSimulation
import Testing
import TestSupport
import VirtualTime

@Suite struct JobTreeTests {
  @Test(arguments: 0..<UInt64(rounds(100)))
  func `the tree answers as a search of all jobs`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var sums = JobTree(.sum)
    var maxima = JobTree(.maximum)
    for round in 0..<2 {
      var values: [UInt64] = []
      for _ in 0..<1 + generator.next(below: 300) {
        // Jobs come in the order of their numbers and go in any order.
        values.append(UInt64(1 + generator.next(below: 9)))
        var changed = [values.count - 1]
        if generator.next(below: 3) == 0 { changed.append(generator.next(below: values.count)) }
        for job in changed {
          if job < values.count - 1 { values[job] = 0 }
          sums.set(Int32(job), values[job])
          maxima.set(Int32(job), values[job])
        }
        let total = values.reduce(0, +)
        let drawn = UInt64(generator.next(below: Int(total)))
        var sum: UInt64 = 0
        let first = values.firstIndex { value in
          sum += value
          return sum > drawn
        }
        #expect(sums.total == total && maxima.total == values.max(), "seed \(seed), round \(round)")
        #expect(sums.first(above: drawn) == Int32(first!), "seed \(seed), round \(round)")
        let maximum = values.firstIndex(of: values.max()!)!
        #expect(maxima.maximum == Int32(maximum), "seed \(seed), round \(round)")
      }
      sums.removeAll()
      maxima.removeAll()
    }
  }
}
