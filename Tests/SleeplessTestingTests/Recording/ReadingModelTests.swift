import SleeplessTesting
import Testing
import VirtualTime

/// The specification of a recorder: a list of events, and how many of them have been read.
private struct Model {
  var values: [Int] = []
  var readCount = 0
  var hasEnded = false
  var isEndRead = false

  var unread: [Int] { Array(values[readCount...]) }
}

@Suite struct ReadingModelTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `any sequence of events and reads gives what a simple list would`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let numbers = Recorder<Int, Never>()
    var model = Model()
    for step in 0..<200 {
      let unread = model.unread
      switch Int.random(in: 0..<9, using: &generator) {
      case 0, 1, 2:
        guard !model.hasEnded else { continue }
        numbers.record(step)
        model.values.append(step)
      case 3:
        guard let first = unread.first else { continue }
        #expect(try numbers.next() == first, "seed \(seed), step \(step)")
        model.readCount += 1
      case 4:
        let count = Int.random(in: 1...3, using: &generator)
        guard unread.count >= count else { continue }
        #expect(
          try numbers.next(count) == Array(unread.prefix(count)), "seed \(seed), step \(step)")
        model.readCount += count
      case 5:
        guard !unread.isEmpty else { continue }
        try numbers.skip()
        model.readCount += 1
      case 6:
        guard let last = unread.last else { continue }
        #expect(try numbers.latest() == last, "seed \(seed), step \(step)")
        model.readCount = model.values.count
      case 7:
        if model.hasEnded, unread.isEmpty {
          try numbers.finish()
          model.isEndRead = true
        } else if step > 150, !model.hasEnded {
          numbers.record(.finished)
          model.hasEnded = true
        }
      default:
        if unread.isEmpty, model.hasEnded == model.isEndRead {
          numbers.expectNone()
        } else if step % 20 == 0 {
          #expect(numbers.all() == model.values, "seed \(seed), step \(step)")
          model.readCount = model.values.count
        } else if !model.hasEnded {
          numbers.expect(all: unread)
          model.readCount = model.values.count
        }
      }
    }
    #expect(numbers.all() == model.values, "seed \(seed)")
    if model.hasEnded { try numbers.finish() }
  }
}
