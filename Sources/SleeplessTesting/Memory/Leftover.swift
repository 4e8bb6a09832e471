import RetainGraph
import SleeplessSimulation

/// Objects of one type that rounds of `assertNoGrowth` have left behind, or unfinished tasks.
struct Leftover {
  let name: String
  /// How many are left of each round.
  private(set) var counts: [Int]
  /// Their size; nil if the program's author knows what they are.
  private var byteCount: Int?
  private(set) var lastObject: UInt = 0
  private var lastTask: UnfinishedTask?
  let isOfProgram: Bool
  /// Whether the name says nothing of its own: a closure or a boxed value.
  let isAnonymous: Bool

  init(type: AllocatedType, roundCount: Int) {
    name = type.name
    counts = Array(repeating: 0, count: roundCount)
    byteCount = type.isOfProgram ? nil : 0
    isOfProgram = type.isOfProgram
    isAnonymous = type.isAnonymous
  }

  init(tasks counts: [Int], last: UnfinishedTask?) {
    name = "unfinished task"
    self.counts = counts
    lastTask = last
    isOfProgram = true
    isAnonymous = false
  }

  mutating func add(_ object: AllocationLog.Block, inRound round: Int) {
    counts[round] += 1
    byteCount = byteCount.map { $0 + object.size }
    lastObject = object.address
  }

  /// Objects of the program's own classes explain most, then tasks.
  var rank: Int { isOfProgram ? lastTask == nil ? 0 : 1 : 2 }

  // MARK: The failure

  /// The failure about all types that grow, of which this is the first.
  func text(withAll growing: [Leftover], rest: EndOfTest.Rest) -> String {
    let shown = growing.prefix(10).map { "  \($0.line)" }
    let more = growing.count > 10 ? ["  ... and \(growing.count - 10) more"] : []
    let isInEach = growing.allSatisfy { !$0.counts.contains(0) }
    return """
      Objects of \(growing.count == 1 ? "1 type" : "\(growing.count) types") stayed behind in \
      \(isInEach ? "each" : "at least every second") of \(counts.count) rounds:
      \((shown + more).joined(separator: "\n"))
      About the last \(name):
      \(explanation(rest))
      A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) with more rounds \
      than the cache has places.
      """
  }

  private var line: String {
    let list = "\(name): \(counts.map { "+\($0)" }.joined(separator: ", "))"
    return byteCount.map { "\(list) (\($0) bytes)" } ?? list
  }

  private func explanation(_ rest: EndOfTest.Rest) -> String {
    guard let lastTask else {
      return RetainPathSearch.inThisTest { $0.text(about: name, at: lastObject, rest: rest) }
    }
    return """
      \(lastTask.place(readingWith: readMemory))
      Cancel the task when its owner is no longer needed, or end the stream, the continuation or the loop that it \
      waits for.
      """
  }
}
