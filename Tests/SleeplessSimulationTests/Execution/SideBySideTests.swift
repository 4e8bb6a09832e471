// virtual time: all sleeps are in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

/// Simulations beside each other and beside code outside simulations.
@Suite(.wholeProcess) struct SideBySideTests {
  @Test func `S4 each of sixteen simultaneous simulations goes as it goes alone`() async {
    var alone: [[Course]] = []
    for seed in 0..<16 as Range<UInt64> { alone.append(await courses(seed: seed)) }
    let outside = Outside()
    await withTaskGroup { group in
      for seed in 0..<16 {
        let expected = alone[seed]
        group.addTask {
          let courses = await courses(seed: UInt64(seed), beside: outside)
          for (course, program) in zip(courses.indices, Program.all) {
            #expect(courses[course] == expected[course], "\(program.name), seed \(seed)")
          }
        }
      }
      await group.waitForAll()
    }
    await outside.stop()
  }

  private func courses(seed: UInt64, beside outside: Outside? = nil) async -> [Course] {
    var courses: [Course] = []
    for program in Program.all {
      outside?.wake()
      courses.append(await program.course(.shuffled(seed: seed)))
    }
    return courses
  }

  @Test func `S4 code outside simulations keeps its time, executor and priority`() async {
    let outside = Outside()
    for seed in 0..<5 as Range<UInt64> { _ = await courses(seed: seed, beside: outside) }
    await outside.stop()
  }

  @Test func `S4 each simulation keeps its time and its tasks in a shared actor`() async {
    let actor = SharedActor()
    let rounds = 20
    // Code outside simulations needs one of the few threads that all tests share.
    let options = Simulation.Options(timeout: .seconds(300))
    await withTaskGroup { group in
      for number in 1...16 {
        group.addTask {
          let outcome = await Simulation.run(options) {
            for round in 1...rounds {
              try await Task.sleep(for: .milliseconds(number))
              let expected = Duration.milliseconds(number * round)
              #expect(await actor.times() == [expected, expected])
            }
          }
          #expect(throws: Never.self) { try outcome.result?.get() }
          #expect(outcome.report.elapsed == .milliseconds(number * rounds))
          #expect(outcome.report.unfinishedTasks.isEmpty)
        }
      }
      // Code outside simulations uses the actor as well.
      group.addTask {
        for _ in 1...rounds { #expect(await actor.times() == [nil, nil]) }
      }
    }
    #expect(await actor.callCount == 17 * rounds)
  }

  private actor SharedActor {
    private(set) var callCount = 0

    /// The virtual times here and in a task that is created here.
    func times() async -> [Duration?] {
      callCount += 1
      let here = Simulation.current?.now
      let task = Task {
        await Task.yield()
        return Simulation.current?.now
      }
      return [here, await task.value]
    }
  }
}

/// Ordinary code. It checks, at least once and whenever it is woken, that clocks and executors are as they
/// are without simulations.
private final class Outside: Sendable {
  private let wakeUps: [AsyncStream<Void>.Continuation]
  private let tasks: [Task<Void, Never>]

  init() {
    let executor = QueueExecutor()
    let calls = (1...3).map { _ in
      AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }
    let (first, second, third) = (calls[0].stream, calls[1].stream, calls[2].stream)
    wakeUps = calls.map(\.continuation)
    // A thread creates this task, because the tasks of a test run on an executor that tracks them for
    // `settle`.
    let detached = Locked<Task<Void, Never>?>(nil)
    let isMade = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let task = Task.detached(priority: .utility) {
        for await _ in first { await Self.checkDetachedTask() }
      }
      detached.withLock { $0 = task }
      isMade.signal()
    }
    isMade.wait()
    tasks = [
      detached.withLock { $0! },
      Task.detached {
        for await _ in second { await Self.checkMainActorTask() }
      },
      Task(executorPreference: executor) {
        for await _ in third {
          await Self.checkTime()
          #expect(executor.isHere)
        }
      },
    ]
    wake()
  }

  func wake() {
    for wakeUp in wakeUps { wakeUp.yield() }
  }

  private static func checkDetachedTask() async {
    await checkTime()
    #expect(withUnsafeCurrentTask { $0?.unownedTaskExecutor } == nil)
    #expect(Task.basePriority == .utility)
  }

  @MainActor private static func checkMainActorTask() async {
    MainActor.assertIsolated()
    await checkTime()
    MainActor.assertIsolated()
  }

  /// Compares the clock with that of a plain thread, which no simulation can touch.
  private static func checkTime() async {
    let before = await onThread { ContinuousClock.now }
    let own = ContinuousClock.now
    let after = await onThread { ContinuousClock.now }
    #expect(before <= own && own <= after)
    #expect(Simulation.current == nil)
  }

  func stop() async {
    for wakeUp in wakeUps { wakeUp.finish() }
    for task in tasks { await task.value }
  }
}
