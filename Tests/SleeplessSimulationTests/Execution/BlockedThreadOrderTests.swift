import Dispatch
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A seed or a strategy decides the order in which blocked threads go on.
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct BlockedThreadOrderTests {
  // The timeout is so long that a test would fail if its simulation waited for it.
  private let options = Simulation.Options(timeout: .seconds(600))

  @Test(arguments: 1...20)
  func `S1 the same seed gives the same order`(seed: Int) async {
    var options = options
    options.order = .shuffled(seed: UInt64(seed))
    var orders: Set<[String]> = []
    for _ in 1...5 {
      let runLog = RunLog()
      _ = await Simulation.run(options) { await handOver(among: 8, runLog) }
      orders.insert(runLog.entries)
    }
    #expect(orders.count == 1)
    #expect(orders.first?.count == 24)
  }

  @Test func `S4 many simulations block threads at the same time`() async {
    await withTaskGroup { group in
      for _ in 1...16 {
        group.addTask {
          let runLog = RunLog()
          let outcome = await Simulation.run(options) { await handOver(among: 20, runLog) }
          #expect(outcome.report.ending.name == "finished")
          #expect(runLog.entries.count == 60)
        }
      }
    }
  }

  @Test @available(macOS 15, *)
  func `S8 all orders of blocked threads are explored`() async {
    let (racing, results) = await explored(.exhaustive, schedules: 1000) {
      await addTwice(guarded: false)
    }
    #expect(racing.isComplete)
    #expect(Set(results) == [1, 2])
    let (guarded, all) = await explored(.exhaustive, schedules: 1000) {
      await addTwice(guarded: true)
    }
    #expect(guarded.isComplete)
    #expect(Set(all) == [2])
  }

  @Test @available(macOS 15, *)
  func `S8 two of three threads have a semaphore of two in some schedules, and three in none`()
    async
  {
    let (result, courses) = await explored(.exhaustive, schedules: 10_000) { await passInTwos() }
    #expect(result.isComplete)
    #expect(Set(courses.map(\.order)).count == 6)
    #expect(Set(courses.map(\.most)) == [1, 2])
  }

  @Test(arguments: namedStrategies) @available(macOS 15, *)
  func `each strategy runs programs that block threads`(
    name: String, strategy: ExplorationStrategy
  ) async {
    let (result, lines) = await explored(strategy, schedules: 50) {
      let runLog = RunLog()
      await handOver(among: 4, runLog)
      return runLog.entries.count
    }
    #expect(result.failure == nil)
    #expect(Set(lines) == [12])
  }

  @Test @available(macOS 15, *)
  func `a woken task that blocks its thread does not keep the actor of its waker`() async {
    let (result, counts) = await explored(.wokenFirst, schedules: 50) {
      let (relay, semaphore) = (Relay(), DispatchSemaphore(value: 0))
      let woken = await relay.start {
        block(on: semaphore)
        sleepThread(.milliseconds(1))
      }
      await relay.signal(semaphore)
      await woken.value
      return await relay.signals
    }
    #expect(result.failure == nil)
    #expect(Set(counts) == [1])
  }

  @Test @available(macOS 15, *)
  func `S7 a schedule that leaves a thread blocked for ever fails, and is shrunk`() async throws {
    let bug = Bug("left behind", "A task waits for a semaphore that nobody signals.") {
      _ = Task { block(on: DispatchSemaphore(value: 0)) }
    } fixed: {
    }
    let failure = try #require(try await bug.explored(bug.buggy, schedules: 5).failure)
    #expect(failure.shrunk.switches == 0)
  }
}

private actor Relay {
  private(set) var signals = 0

  func start(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    Task.detached { body() }
  }

  func signal(_ semaphore: DispatchSemaphore) {
    semaphore.signal()
    signals += 1
  }
}

/// Tasks that pass a semaphore on to one another, and sleep on their threads.
private func handOver(among count: Int, _ runLog: RunLog) async {
  let semaphore = DispatchSemaphore(value: 2)
  await withTaskGroup { group in
    for number in 1...count {
      group.addTask {
        runLog.note("\(number) comes")
        block(on: semaphore)
        runLog.note("\(number) begins")
        sleepThread(.milliseconds(number))
        runLog.note("\(number) ends")
        semaphore.signal()
      }
    }
  }
}

/// Three tasks pass a semaphore of two. Returns their order, and how many have had it at a time.
private func passInTwos() async -> (order: [Int], most: Int) {
  let semaphore = DispatchSemaphore(value: 2)
  let course = Locked((order: [Int](), count: 0, most: 0))
  await withTaskGroup { group in
    for number in 1...3 {
      group.addTask {
        block(on: semaphore)
        course.withLock { course in
          course.order.append(number)
          course.count += 1
          course.most = max(course.most, course.count)
        }
        sleepThread(.zero)
        course.withLock { $0.count -= 1 }
        semaphore.signal()
      }
    }
  }
  return course.withLock { ($0.order, $0.most) }
}

/// Two tasks read a number, sleep on their threads, and write it back.
private func addTwice(guarded: Bool) async -> Int {
  let (number, lock) = (Locked(0), DispatchSemaphore(value: 1))
  await withTaskGroup { group in
    for _ in 1...2 {
      group.addTask {
        if guarded { block(on: lock) }
        let old = number.withLock { $0 }
        sleepThread(.zero)
        number.withLock { $0 = old + 1 }
        if guarded { lock.signal() }
      }
    }
  }
  return number.withLock { $0 }
}
