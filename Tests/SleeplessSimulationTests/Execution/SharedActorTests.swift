// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

/// An actor that other code uses too.
@Suite(.wholeProcess, .serialized) struct SharedActorTests {
  @Test func `S2 time stands still while a task waits for an actor that code outside occupies`()
    async throws
  {
    let outcome = try await whileOccupied {
      await Simulation.run {
        async let sleep: Void = Task.sleep(for: .seconds(1))
        let seen = await Shared.shared.now()
        try await sleep
        return seen
      }
    }
    #expect(try outcome.result?.get() == .zero)
    #expect(outcome.report.elapsed == .seconds(1))
  }

  @Test func `S6 waiting for an occupied actor is no deadlock`() async throws {
    // Longer than the deadlock timeout of a simulation without work outside.
    let outcome = try await whileOccupied(for: .milliseconds(700)) {
      await Simulation.run { await Shared.shared.now() }
    }
    #expect(try outcome.result?.get() == .zero)
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a task that is to run first waits for an actor that code outside occupies`() async {
    let schedules = Locked(0)
    let (result, orders) = await explored(.wokenFirst, schedules: 50) {
      let number = schedules.withLock { number in
        number += 1
        return number
      }
      let release = number.isMultiple(of: 3) ? occupy() : nil
      let log = Log<String>()
      let woken = Task {
        _ = await Shared.shared.now()
        log.append("woken")
      }
      log.append("waker")
      outsideSimulations { _ = release?.signal() }
      await woken.value
      return log.values.joined(separator: " ")
    }
    #expect(result.run == 50)
    #expect(Set(orders).isSubset(of: ["waker woken", "woken waker"]))
    // The first time that the woken task was to run first there, it counted as one that blocks its thread: that
    // schedule was repeated.
    #expect(orders.count > 50)
  }

  @Test func `a simulation that is abandoned while it waits for an actor cancels no tasks`() async {
    let (isIn, release) = (Latch(), DispatchSemaphore(value: 0))
    let holder = Task { await Shared.shared.block(isIn, release) }
    await isIn.wait()
    let simulation = await GivenUp { _ = await Shared.shared.now() }
    #expect(simulation.ending == "threadBlocked")
    release.signal()
    await holder.value
    await simulation.driverHasLeft.wait()
    #expect(await !simulation.isLeftOverCancelled())
  }

  @Test func `a simulation waits for a task in an actor although its body has ended`() async throws
  {
    let outcome = try await whileOccupied {
      await Simulation.run { _ = Task { await Shared.shared.now() } }
    }
    #expect(outcome.report.unfinishedTasks.isEmpty)
    #expect(outcome.report.externalResumptionCount == 0)
  }

  /// A thousand times in all; in debug a tenth of that.
  @Test func `S1 a seed gives the same course in an actor that sixteen share`() async {
    await compareCourses(repetitions: rounds(63))
  }

  @Test func `S1 a busy machine does not change courses in an actor that sixteen share`() async {
    let machine = BusyMachine()
    defer { machine.stop() }
    await compareCourses(repetitions: rounds(40))
  }

  /// Runs a program with sixteen seeds, `repetitions` times each, all at once and beside code outside
  /// simulations. Compares each result with the result of the same seed alone.
  private func compareCourses(repetitions: Int) async {
    let program = Program("shared", runLog: [], body: useSharedActor)
    var alone: [Course] = []
    for seed in 0..<16 as Range<UInt64> {
      alone.append(await program.course(.shuffled(seed: seed)))
    }
    #expect(Set(alone.map(\.runLog)).count == 16)
    // Code outside enters the actor each time a course begins, and otherwise leaves the machine to the courses.
    let beginnings = (1...4).map { _ in
      AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }
    let outside = beginnings.map { beginning in
      Task.detached {
        for await _ in beginning.stream {
          for _ in 1...20 { #expect(await SharedActor.shared.now() == nil) }
        }
      }
    }
    await withTaskGroup { group in
      for (seed, expected) in zip(0..<16 as Range<UInt64>, alone) {
        group.addTask {
          for repetition in 1...repetitions {
            for beginning in beginnings { beginning.continuation.yield() }
            let course = await program.course(.shuffled(seed: seed))
            guard course != expected else { continue }
            #expect(course == expected, "seed \(seed), repetition \(repetition)")
            break
          }
        }
      }
    }
    for beginning in beginnings { beginning.continuation.finish() }
    for task in outside { await task.value }
  }

  @Test func `an actor runs tasks in the order of arrival, and other tasks run between them`()
    async throws
  {
    var orders: Set<[String]> = []
    for seed in 0..<100 as Range<UInt64> {
      let log = Log<String>()
      let outcome = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
        let tasks = ["1", "2"].map { name in Task { @SharedActor in log.append(name) } }
        let other = Task { log.append("other") }
        for task in tasks { await task.value }
        await other.value
      }
      #expect(outcome.report.externalResumptionCount == 0)
      orders.insert(log.values)
    }
    // One of three is missed by 100 seeds in one of 10^12 cases; and the seeds are fixed.
    #expect(orders == [["1", "2", "other"], ["1", "other", "2"], ["other", "1", "2"]])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `each of hundreds of actors runs tasks in the order of arrival`(seed: UInt64) async throws {
    let outcome = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
      let actors = (1...300).map { _ in NumberList() }
      let arrivals = actors.map { _ in Log<Int>() }
      await withTaskGroup { group in
        for number in 0..<3_000 {
          group.addTask {
            let index = number % actors.count
            arrivals[index].append(number)
            await actors[index].append(number)
          }
        }
      }
      var entries: [[Int]] = []
      for actor in actors { entries.append(await actor.numbers) }
      return (entries, arrivals.map(\.values))
    }
    let (entries, arrivals) = try #require(try outcome.result?.get())
    #expect(entries == arrivals)
    #expect(entries.joined().sorted() == Array(0..<3_000))
    // In a random order, they did not come in the order of creation.
    #expect(!entries.allSatisfy { $0 == $0.sorted() })
  }

  @Test func `S2 time waits for a task on an actor's own executor among thousands that rest`()
    async throws
  {
    let release = DispatchSemaphore(value: 0)
    let isIn = Latch()
    let outcome = await Simulation.run {
      let (stream, source) = AsyncStream.makeStream(of: Void.self)
      let resting = (1...2000).map { _ in Task { for await _ in stream {} } }
      let own = OwnExecutorActor()
      let task = Task { await own.block(isIn, release) }
      // real time: how long the work there takes
      outsideSimulations {
        DispatchQueue.global().schedule(after: .milliseconds(50)) { release.signal() }
      }
      async let sleep: Void = Task.sleep(for: .seconds(1))
      let seen = await task.value
      try await sleep
      source.finish()
      for task in resting { await task.value }
      return seen
    }
    #expect(try outcome.result?.get() == .zero)
  }

  @Test func `S2 each simulation keeps its own time in a shared actor`() async throws {
    try await withThrowingTaskGroup { group in
      for number in 1...8 {
        group.addTask { () async throws -> Void in
          let outcome = await Simulation.run {
            var seen: [Duration?] = []
            for _ in 1...200 {
              try await Task.sleep(for: .seconds(number))
              async let other: Void = Task.sleep(for: .milliseconds(1))
              seen.append(await Shared.shared.now())
              try await other
            }
            return seen
          }
          let step = Duration.seconds(number) + .milliseconds(1)
          let expected = (0..<200).map { step * $0 + .seconds(number) }
          let values = try outcome.result?.get()
          #expect(values == expected)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test
  func `S5 code outside that runs in the actor on the simulation's thread resumes from outside`()
    async
  {
    let (isIn, isInLine) = (ThreadSignal(), ThreadSignal())
    let held = Log<UnsafeContinuation<Void, Never>>()
    let outside = Log<Task<Void, Never>>()
    let threads = Log<ObjectIdentifier>()
    startThread {
      isIn.wait()
      // When this returns, the task waits in the actor's queue, because the simulation occupies the actor.
      outside.append(
        Task.immediate {
          await Shared.shared.run {
            threads.append(ObjectIdentifier(Thread.current))
            held.values[0].resume()
          }
        })
      isInLine.send()
    }
    let outcome = await Simulation.run {
      let waiting = Task { await withUnsafeContinuation { held.append($0) } }
      try await Task.sleep(for: .seconds(1))
      await Shared.shared.run {
        threads.append(ObjectIdentifier(Thread.current))
        isIn.send()
        isInLine.wait()
      }
      await waiting.value
    }
    for task in outside.values { await task.value }
    #expect(outcome.report.externalResumptionCount == 1)
    // If the threads differ, the test proves nothing.
    #expect(threads.values.count == 2 && threads.values[0] == threads.values[1])
  }

  /// Lets code outside enter the actor, and returns when it is in. It stays there until the semaphore is signalled.
  private func occupy() -> DispatchSemaphore {
    outsideSimulations {
      let (isIn, release) = (ThreadSignal(), DispatchSemaphore(value: 0))
      Task.detached {
        await Shared.shared.run {
          isIn.send()
          wait(for: release)
        }
      }
      isIn.wait()
      return release
    }
  }

  /// Runs a function while code outside stays in the actor, for some real time.
  private func whileOccupied<Result>(
    for time: Duration = .milliseconds(50), _ body: () async throws -> Result
  ) async throws -> Result {
    let isIn = Latch()
    let release = DispatchSemaphore(value: 0)
    let holder = Task { await Shared.shared.block(isIn, release) }
    await isIn.wait()
    // real time: how long the code outside needs
    DispatchQueue.global().schedule(after: time) { release.signal() }
    let result = try await body()
    await holder.value
    return result
  }
}

private actor NumberList {
  private(set) var numbers: [Int] = []

  func append(_ number: Int) { numbers.append(number) }
}

/// Enters an actor in all the ways that the runtime has, with each task at the same instants.
private func useSharedActor(_ runLog: RunLog) async {
  let (stream, source) = AsyncStream.makeStream(of: String.self)
  let reader = Task { @SharedActor in
    for await text in stream {
      SharedActor.shared.assertIsolated()
      runLog.note("read \(text)")
    }
  }
  await withTaskGroup { group in
    for name in ["a", "b", "c", "d"] {
      group.addTask {
        for round in 1...2 {
          try? await Task.sleep(for: .milliseconds(1))
          await write("\(name)\(round)", runLog)
          source.yield("\(name)\(round)")
          runLog.note("\(name)\(round) is back")
        }
      }
    }
    group.addTask { await count(runLog) }
  }
  source.finish()
  await reader.value
}

@SharedActor private func write(_ text: String, _ runLog: RunLog) async {
  runLog.note("writes \(text)")
  await withUnsafeContinuation { continuation in Task { continuation.resume() } }
  SharedActor.shared.assertIsolated()
  async let time = SharedActor.shared.now()
  runLog.note("\(String(describing: await time)) for \(text)")
  try? await Task.sleep(for: .milliseconds(1))
  SharedActor.shared.assertIsolated()
  runLog.note("has written \(text)")
}

@SharedActor private func count(_ runLog: RunLog) async {
  await withTaskGroup(of: Int.self) { group in
    for number in 1...3 {
      group.addTask {
        _ = await SharedActor.shared.now()
        runLog.note("counts \(number)")
        return number
      }
    }
    for await number in group {
      SharedActor.shared.assertIsolated()
      runLog.note("counted \(number)")
    }
  }
  SharedActor.shared.assertIsolated()
  runLog.note("counted all")
}

@globalActor private actor SharedActor {
  static let shared = SharedActor()

  func now() -> Duration? { Simulation.current?.now }
}

/// An actor with threads of its own.
private actor OwnExecutorActor {
  private let executor = ThreadExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func block(_ isIn: Latch, _ semaphore: DispatchSemaphore) -> Duration? {
    isIn.open()
    wait(for: semaphore)
    return Simulation.current?.now
  }
}

private actor Shared {
  static let shared = Shared()

  func now() -> Duration? { Simulation.current?.now }

  func run(_ code: @Sendable () -> Void) { code() }

  func block(_ isIn: Latch, _ semaphore: DispatchSemaphore) {
    isIn.open()
    wait(for: semaphore)
  }
}

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
