// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Explorations choose among blocks as among tasks.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct DispatchQueueOrderTests {
  /// The orders in which three blocks of a queue run.
  @available(macOS 15, *)
  private func orders(on queue: DispatchQueue) async -> (isComplete: Bool, orders: Set<[Int]>) {
    let (result, orders) = await explored(.exhaustive, schedules: 1_000) {
      let (log, group) = (Locked<[Int]>([]), DispatchGroup())
      for number in 1...3 {
        queue.async(group: group) { log.withLock { $0.append(number) } }
      }
      await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
      return log.withLock { $0 }
    }
    return (result.isComplete, Set(orders))
  }

  @Test @available(macOS 15, *)
  func `S8 all orders of blocks on a concurrent queue are explored`() async {
    for queue in [
      DispatchQueue.global(), DispatchQueue(label: "com.example", attributes: .concurrent),
    ] {
      let (isComplete, orders) = await orders(on: queue)
      #expect(isComplete)
      #expect(orders.count == 6)
    }
  }

  @Test @available(macOS 15, *)
  func `S8 a serial queue and the main queue keep their order in each schedule`() async {
    for queue in [DispatchQueue(label: "com.example"), .main] {
      let (isComplete, orders) = await orders(on: queue)
      #expect(isComplete)
      #expect(orders == [[1, 2, 3]])
    }
  }

  @Test(arguments: [DispatchQueue(label: "com.example.serial"), .main])
  func `S10 blocks of all flags and qualities of service keep the order of a serial queue`(
    queue: DispatchQueue
  ) async {
    let flags: [DispatchWorkItemFlags] = [
      [], .assignCurrentContext, .barrier, .detached, .enforceQoS, .inheritQoS, .noQoS,
    ]
    let qualities: [DispatchQoS] = [
      .background, .userInteractive, .utility, .unspecified, .userInitiated, .default,
    ]
    for seed in 1...20 as ClosedRange<UInt64> {
      let log = Locked<[Int]>([])
      _ = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
        for number in 0..<(flags.count * qualities.count) {
          let flags = flags[number % flags.count]
          let quality = qualities[number % qualities.count]
          let block: @Sendable () -> Void = { log.withLock { $0.append(number) } }
          if number.isMultiple(of: 2) {
            queue.async(qos: quality, flags: flags, execute: block)
          } else {
            queue.async(execute: DispatchWorkItem(qos: quality, flags: flags, block: block))
          }
        }
        await Simulation.current!.settle()
      }
      #expect(log.withLock { $0 } == Array(0..<42), "seed \(seed)")
    }
  }

  @Test(.needs(.clocks)) @available(macOS 15, *)
  func `S8 a serial queue gets delayed blocks in the order of their deadlines in each schedule`()
    async
  {
    for queue in [DispatchQueue(label: "serial"), .main] {
      let (result, _) = await explored(.portfolio, schedules: 200, failing: { $0 != [0, 1, 2, 3] })
      {
        let log = Locked<[Int]>([])
        for number in 1...3 {
          queue.asyncAfter(deadline: .now() + 1) { log.withLock { $0.append(number) } }
        }
        queue.asyncAfter(deadline: .now() + 0.5) { log.withLock { $0.append(0) } }
        await Simulation.current!.settle()
        return log.withLock { $0 }
      }
      #expect(result.failure == nil)
    }
  }

  @Test(.needs(.clocks)) @available(macOS 15, *)
  func `S8 all orders of delayed blocks of a concurrent queue are explored`() async {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let (result, orders) = await explored(.exhaustive, schedules: 200, failing: { _ in false }) {
      let log = Locked<[Int]>([])
      for number in 1...2 {
        queue.asyncAfter(deadline: .now() + 1) { log.withLock { $0.append(number) } }
      }
      await Simulation.current!.settle()
      return log.withLock { $0 }
    }
    #expect(result.isComplete)
    #expect(Set(orders) == [[1, 2], [2, 1]])
  }

  @Test @available(macOS 15, *)
  func `S8 all orders of two queues with one serial target are explored`() async {
    let target = DispatchQueue(label: "com.example.target")
    let one = DispatchQueue(label: "com.example.one", target: target)
    let two = DispatchQueue(label: "com.example.two", target: target)
    let (result, orders) = await explored(.exhaustive, schedules: 1_000) {
      let (log, group) = (Locked<[String]>([]), DispatchGroup())
      one.async(group: group) { log.withLock { $0.append("1a") } }
      two.async(group: group) { log.withLock { $0.append("2") } }
      one.async(group: group) { log.withLock { $0.append("1b") } }
      await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
      return log.withLock { $0 }
    }
    #expect(result.isComplete)
    #expect(Set(orders) == [["1a", "1b", "2"], ["1a", "2", "1b"], ["2", "1a", "1b"]])
  }

  @Test @available(macOS 15, *)
  func `S8 all orders in which a job and blocks come to the main queue are explored`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<String>()
      Task { await MainActor.run { log.append("job") } }
      Task {
        DispatchQueue.main.async { log.append("block 0") }
        await Task.yield()
        DispatchQueue.main.async { log.append("block 1") }
      }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    #expect(
      Set(orders) == [
        ["job", "block 0", "block 1"], ["block 0", "job", "block 1"],
        ["block 0", "block 1", "job"],
      ])
  }

  @Test @available(macOS 15, *)
  func `S8 the main actor runs jobs in the order in which they came, in each schedule`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<Int>()
      Task {}
      for number in 1...3 { Task { @MainActor in log.append(number) } }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    #expect(result.distinct > 1)
    #expect(Set(orders) == [[1, 2, 3]])
    for seed in 1...20 as ClosedRange<UInt64> {
      let log = Log<Int>()
      _ = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
        for number in 1...3 { Task { @MainActor in log.append(number) } }
        await Simulation.current!.settle()
      }
      #expect(log.values == [1, 2, 3], "seed \(seed)")
    }
  }

  @Test(.needs(.blockingCalls))
  func `S10 a job that comes to a blocked main actor runs after those that wait for it`() async {
    let orders =
      [Simulation.Options.Order.firstCome]
      + (1...20).map { .shuffled(seed: $0) }
    for order in orders {
      let log = Log<Int>()
      let outcome = await Simulation.run(Simulation.Options(order: order)) {
        let semaphore = DispatchSemaphore(value: 0)
        Task { @MainActor in
          block(on: semaphore)
          log.append(1)
        }
        Task { @MainActor in log.append(2) }
        try await Task.sleep(for: .seconds(1))
        semaphore.signal()
        Task { @MainActor in log.append(3) }
        await Simulation.current!.settle()
      }
      #expect(log.values == [1, 2, 3], "\(order)")
      #expect(outcome.report.ending.name == "finished")
    }
  }

  @Test @available(macOS 15, *)
  func `S8 all orders in which jobs come to the main actor are explored`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<Int>()
      for number in 1...3 { Task { await MainActor.run { log.append(number) } } }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    #expect(Set(orders).count == 6)
  }

  @Test @available(macOS 15.4, *)
  func `S8 the main queue runs blocks and jobs in the order in which they came, in each schedule`()
    async throws
  {
    let expected = [
      "task 1", "block 2", "deinit 3", "task 4", "block 5", "task from task 1",
      "block from block 2", "task from block 2",
    ]
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      await orderOnMainQueue()
    }
    #expect(result.isComplete)
    #expect(Set(orders) == [expected])
    for order in [Simulation.Options.Order.firstCome] + (1...20).map({ .shuffled(seed: $0) }) {
      let outcome = await Simulation.run(Simulation.Options(order: order)) {
        await orderOnMainQueue()
      }
      #expect(try outcome.result?.get() == expected, "\(order)")
    }
  }

  @Test(.needs(.blockingCalls)) func `S10 a sync waits for its turn on the main queue`() async {
    let (_, orders) = await explored(.portfolio, schedules: 100) {
      let log = Log<String>()
      DispatchQueue.global().async {
        Task { @MainActor in log.append("task before") }
        DispatchQueue.main.sync { log.append("sync") }
      }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(Set(orders) == [["task before", "sync"]])
  }

  @Test @available(macOS 15, *)
  func `S7 an answer that comes after a later one is found, and not in the twin that checks`()
    async
  {
    for checks in [false, true] {
      let (result, _) = await explored(.portfolio, schedules: 100, failing: { $0 != "ab" }) {
        await SearchModel(checks: checks).result(afterSearchesFor: ["a", "ab"])
      }
      #expect((result.failure == nil) == checks)
    }
  }

  @Test func `S1 a seed gives blocks the same order each time, and other seeds other orders`() async
  {
    var ordersOfSeeds: Set<Set<[Int]>> = []
    for seed in 1...20 {
      var options = Simulation.Options()
      options.order = .shuffled(seed: UInt64(seed))
      var orders: Set<[Int]> = []
      for _ in 1...5 {
        let log = Locked<[Int]>([])
        _ = await Simulation.run(options) {
          for number in 1...20 {
            DispatchQueue.global().async { log.withLock { $0.append(number) } }
          }
          await Simulation.current!.settle()
        }
        orders.insert(log.withLock { $0 })
      }
      #expect(orders.count == 1)
      #expect(orders.first?.sorted() == Array(1...20))
      ordersOfSeeds.insert(orders)
    }
    #expect(ordersOfSeeds.count == 20)
  }

  @Test(.needs(.blockingCalls), .needs(.clocks))
  func `S1 queues, groups, semaphores, timers and sleeps have one order in 1,000 runs`() async {
    var orders: Set<[String]> = []
    for _ in 1...1_000 {
      let log = Locked<[String]>([])
      _ = await Simulation.run(Simulation.Options(order: .shuffled(seed: 7))) {
        await useQueues { text in log.withLock { $0.append(text) } }
      }
      orders.insert(log.withLock { $0 })
    }
    #expect(orders.count == 1)
    #expect(orders.first?.count == 16)
  }
}

/// Uses all that Dispatch has, at moments that often coincide.
private func useQueues(_ note: @escaping @Sendable (String) -> Void) async {
  let (group, signals) = (DispatchGroup(), DispatchSemaphore(value: 0))
  let (serial, ticking) = (DispatchQueue(label: "serial"), DispatchQueue(label: "ticking"))
  for number in 1...3 {
    DispatchQueue.global().async(group: group) {
      note("begins \(number)")
      Thread.sleep(forTimeInterval: 0.2)
      note("ends \(number)")
      signals.signal()
    }
  }
  serial.async(group: group) {
    for _ in 1...3 { signals.wait() }
    note("signalled")
  }
  group.enter()
  serial.asyncAfter(deadline: .now() + 0.2) {
    note("delayed")
    group.leave()
  }
  DispatchQueue.main.async(group: group) { note("main") }
  let timer = DispatchSource.makeTimerSource(queue: ticking)
  timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
  timer.setEventHandler { note("ticks") }
  timer.activate()
  let task = Task {
    note("task")
    await Task.yield()
    note("task again")
  }
  await task.value
  await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
  note("notified")
  try? await Task.sleep(for: .seconds(0.25))
  timer.cancel()
}

/// The order in which blocks and jobs run that come to the main queue one after another.
@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, *)
private func orderOnMainQueue() async -> [String] {
  let log = Log<String>()
  Task {}
  Task { @MainActor in
    log.append("task 1")
    Task { @MainActor in log.append("task from task 1") }
  }
  DispatchQueue.main.async {
    log.append("block 2")
    DispatchQueue.main.async { log.append("block from block 2") }
    Task { @MainActor in log.append("task from block 2") }
  }
  _ = EndsOnMainActor { log.append("deinit 3") }
  Task { @MainActor in log.append("task 4") }
  DispatchQueue.main.async { log.append("block 5") }
  await Simulation.current!.settle()
  return log.values
}

@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, *)
@MainActor private final class EndsOnMainActor {
  private let note: @Sendable () -> Void

  nonisolated init(_ note: @escaping @Sendable () -> Void) { self.note = note }

  isolated deinit { note() }
}

/// A model as many were written: it asks on a background queue and shows the answer on the main queue.
private final class SearchModel: @unchecked Sendable {
  // Unchecked because its variables are used on the main queue only.
  private let checks: Bool
  private var text = ""
  private var result = ""

  init(checks: Bool) { self.checks = checks }

  private func search(_ text: String, _ group: DispatchGroup) {
    self.text = text
    DispatchQueue.global().async(group: group) {
      let answer = text
      DispatchQueue.main.async(group: group) {
        if !self.checks || self.text == text { self.result = answer }
      }
    }
  }

  func result(afterSearchesFor texts: [String]) async -> String {
    await withCheckedContinuation { done in
      DispatchQueue.main.async {
        let group = DispatchGroup()
        for text in texts { self.search(text, group) }
        group.notify(queue: .main) { done.resume(returning: self.result) }
      }
    }
  }
}
