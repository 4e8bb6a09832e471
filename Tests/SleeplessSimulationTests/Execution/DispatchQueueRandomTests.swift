// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing
import VirtualTime

/// Random programs on queues keep what Dispatch promises, and take the same course each time.
///
/// Without the clocks in virtual time a deadline is one of real time, and is rounded.
@Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10)))
struct DispatchQueueRandomTests {
  @Test(arguments: [false, true])
  func `S1 S10 random programs on queues keep their orders, twice in the same way`(
    isShuffled: Bool
  ) async {
    for seed in 1...150 as ClosedRange<UInt64> {
      var options = Simulation.Options()
      if isShuffled { options.order = .shuffled(seed: seed) }
      var courses: [[String]] = []
      for _ in 1...2 {
        let program = QueueProgram(seed: seed)
        let outcome = await Simulation.run(options) {
          await program.run()
          await Simulation.current?.settle()
        }
        #expect(outcome.report.ending.name == "finished", "seed \(seed)")
        #expect(outcome.report.externalResumptionCount == 0, "seed \(seed)")
        #expect(program.mistakes == [], "seed \(seed)")
        courses.append(program.course)
      }
      #expect(courses[0] == courses[1], "seed \(seed)")
    }
  }

  @Test @available(macOS 15, *)
  func `S10 explored random programs on queues keep their orders`() async {
    for seed in 1...10 as ClosedRange<UInt64> {
      let (_, mistakes) = await explored(.portfolio, schedules: 30, seed: seed) {
        let program = QueueProgram(seed: seed, isExplored: true)
        await program.run()
        await Simulation.current?.settle()
        return program.mistakes
      }
      #expect(mistakes.allSatisfy { $0.isEmpty }, "seed \(seed)")
    }
  }
}

/// Tasks and blocks that give blocks to queues of several kinds, suspend queues and wait for them, as random numbers
/// say.
private final class QueueProgram: Sendable {
  private struct Queue {
    let queue: DispatchQueue
    let isSerial: Bool
    /// The queue that runs its blocks, and the place of that in the list.
    let target: Int?
    /// Blocks wait only for queues of a higher rank, so that they never wait for each other.
    let rank: Int
  }

  private struct Block {
    let number: Int
    let queue: Int
    var isBarrier = false
  }

  private struct State {
    var random: SeededGenerator
    var course: [String] = []
    var mistakes: [String] = []
    var blocksLeft = 30
    var lastNumber = 0
    var ranCount = 0
    /// The blocks that were given to a queue at once, in their order, and have not begun.
    var given: [Int: [Int]] = [:]
    var running: [Block] = []
  }

  private let queues: [Queue]
  private let state: Locked<State>
  /// Whether another task may give a queue a block after `sync` was called and before its block has its place.
  private let isExplored: Bool

  init(seed: UInt64, isExplored: Bool = false) {
    self.isExplored = isExplored
    state = Locked(State(random: SeededGenerator(seed: seed)))
    let serialTarget = DispatchQueue(label: "serial target")
    let concurrentTarget = DispatchQueue(label: "concurrent target", attributes: .concurrent)
    func queue(_ label: String, _ attributes: DispatchQueue.Attributes, _ target: DispatchQueue?)
      -> DispatchQueue
    {
      DispatchQueue(label: label, attributes: attributes, target: target)
    }
    queues = [
      Queue(queue: queue("serial", [], nil), isSerial: true, target: nil, rank: 1),
      Queue(queue: queue("concurrent", .concurrent, nil), isSerial: false, target: nil, rank: 2),
      Queue(queue: concurrentTarget, isSerial: false, target: nil, rank: 3),
      Queue(queue: queue("a", [], concurrentTarget), isSerial: true, target: 2, rank: 3),
      Queue(queue: serialTarget, isSerial: true, target: nil, rank: 4),
      Queue(queue: queue("b", [], serialTarget), isSerial: true, target: 4, rank: 4),
      Queue(queue: queue("c", .concurrent, serialTarget), isSerial: false, target: 4, rank: 4),
      Queue(queue: .global(), isSerial: false, target: nil, rank: 5),
      Queue(queue: .main, isSerial: true, target: nil, rank: 6),
    ]
  }

  private static let ownQueues = 0..<7

  var course: [String] { state.withLock { $0.course } }

  /// What went wrong. Read it when all blocks have run.
  var mistakes: [String] {
    state.withLock { state in
      state.ranCount == state.lastNumber
        ? state.mistakes : state.mistakes + ["\(state.ranCount) of \(state.lastNumber) have run"]
    }
  }

  private func random(below limit: Int) -> Int {
    state.withLock { Int.random(in: 0..<limit, using: &$0.random) }
  }

  func run() async {
    await withTaskGroup { group in
      for _ in 1...3 {
        group.addTask { [self] in
          for _ in 1...2 {
            giveBlocks(from: 0)
            try? await Task.sleep(for: .seconds(random(below: 3)))
          }
        }
      }
      group.addTask { [self] in
        for _ in 1...3 {
          let queue = queues[random(below: Self.ownQueues.count)].queue
          try? await Task.sleep(for: .seconds(random(below: 3)))
          queue.suspend()
          try? await Task.sleep(for: .seconds(1 + random(below: 3)))
          queue.resume()
        }
      }
    }
  }

  // MARK: Giving blocks

  /// A new block; nil if there are enough.
  private func newBlock(on queue: Int, isBarrier: Bool = false, isGivenAtOnce: Bool = true)
    -> Block?
  {
    state.withLock { state in
      guard state.blocksLeft > 0 else { return nil }
      state.blocksLeft -= 1
      state.lastNumber += 1
      if isGivenAtOnce { state.given[queue, default: []].append(state.lastNumber) }
      return Block(number: state.lastNumber, queue: queue, isBarrier: isBarrier)
    }
  }

  /// Gives up to three blocks. The code runs on a queue of a rank, or in a task.
  private func giveBlocks(from rank: Int) {
    for _ in 0...random(below: 3) {
      let index = random(below: queues.count)
      let queue = queues[index].queue
      let isBarrier = Self.ownQueues.contains(index) && random(below: 3) == 0
      let flags: DispatchWorkItemFlags = isBarrier ? .barrier : []
      switch random(below: 5) {
      case 0, 1:
        guard let block = newBlock(on: index, isBarrier: isBarrier) else { return }
        queue.async(flags: flags) { self.perform(block) }
      case 2:
        guard queues[index].rank > rank,
          let block = newBlock(on: index, isBarrier: isBarrier, isGivenAtOnce: !isExplored)
        else { continue }
        queue.sync(flags: flags) { self.perform(block) }
      case 3:
        guard let block = newBlock(on: index, isGivenAtOnce: false) else { return }
        queue.asyncAfter(deadline: .now() + Double(random(below: 3))) { self.perform(block) }
      default:
        guard let block = newBlock(on: index, isGivenAtOnce: false) else { return }
        let group = DispatchGroup()
        queues[0].queue.async(group: group) {}
        group.notify(queue: queue) { self.perform(block) }
      }
    }
  }

  // MARK: Running blocks

  private func perform(_ block: Block) {
    state.withLock { state in
      state.course.append("\(Simulation.current?.now ?? .zero): \(block.number)")
      state.ranCount += 1
      check(block, in: &state)
      state.running.append(block)
    }
    if random(below: 3) == 0 { Thread.sleep(forTimeInterval: Double(random(below: 4))) }
    if random(below: 3) > 0 { giveBlocks(from: queues[block.queue].rank) }
    state.withLock { $0.running.removeAll { $0.number == block.number } }
  }

  /// Checks that the block may run beside those that run, and comes after those that its serial queue got before.
  private func check(_ block: Block, in state: inout State) {
    for other in state.running where excludesEachOther(block, other) {
      state.mistakes.append("\(block) beside \(other)")
    }
    guard let index = state.given[block.queue]?.firstIndex(of: block.number) else { return }
    if queues[block.queue].isSerial, index > 0 { state.mistakes.append("\(block) before its turn") }
    state.given[block.queue]!.remove(at: index)
  }

  private func excludesEachOther(_ one: Block, _ two: Block) -> Bool {
    path(of: one.queue).contains { queue in
      guard path(of: two.queue).contains(queue) else { return false }
      return queues[queue].isSerial
        || [one, two].contains { $0.isBarrier && $0.queue == queue }
    }
  }

  private func path(of queue: Int) -> [Int] { [queue] + (queues[queue].target.map { [$0] } ?? []) }
}
