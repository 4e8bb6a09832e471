// virtual time: all sleeps are in simulations
import Dispatch
import Sleepless
import SleeplessSimulation
import Testing

/// An actor that others are in.
@Suite(.wholeProcess, .serialized) struct SharedActorTests {
  @Test func `S2 time stands still while a task waits for an actor that code outside is in`()
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

  @Test func `S6 a task that waits for an actor is no standstill`() async throws {
    // Longer than nothing may happen in a simulation of which nothing is outside.
    let outcome = try await whileOccupied(for: .milliseconds(700)) {
      await Simulation.run { await Shared.shared.now() }
    }
    #expect(try outcome.result?.get() == .zero)
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a body's end waits for tasks that are in an actor`() async throws {
    let outcome = try await whileOccupied {
      await Simulation.run { _ = Task { await Shared.shared.now() } }
    }
    #expect(outcome.report.unfinishedTasks.isEmpty)
  }

  @Test func `S2 simulations that share an actor each keep their own time in it`() async throws {
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

  /// Runs something while code outside keeps the actor, for some real time.
  private func whileOccupied<Result>(
    for time: Duration = .milliseconds(50), _ body: () async throws -> Result
  ) async throws -> Result {
    let isIn = Latch()
    let release = DispatchSemaphore(value: 0)
    let holder = Task { await Shared.shared.block(isIn, release) }
    await isIn.wait()
    // real time: how long somebody else needs
    DispatchQueue.global().schedule(after: time) { release.signal() }
    let result = try await body()
    await holder.value
    return result
  }
}

private actor Shared {
  static let shared = Shared()

  func now() -> Duration? { Simulation.current?.now }

  func block(_ isIn: Latch, _ semaphore: DispatchSemaphore) {
    isIn.open()
    wait(for: semaphore)
  }
}

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
