// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport
import VirtualTime

/// A woken task may run up to its next suspension before its waker's next statement.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct WokenFirstTests {
  @Test @available(macOS 15, *)
  func `S8 a task resumed by a continuation may run before the next statement`() async throws {
    let orders = await orders(.wokenFirst) { note in
      await withTaskGroup { group in
        let waiting = Locked<UnsafeContinuation<Void, Never>?>(nil)
        group.addTask {
          await withUnsafeContinuation { new in waiting.withLock { $0 = new } }
          note("woken")
        }
        group.addTask {
          while waiting.withLock({ $0 == nil }) { await Task.yield() }
          waiting.withLock { $0 }!.resume()
          note("waker")
        }
      }
    }
    #expect(orders == ["waker woken", "woken waker"])
  }

  @Test @available(macOS 15, *)
  func `S8 a new task may run before the next statement of the task that made it`() async {
    let orders = await orders(.wokenFirst) { note in
      let new = Task { note("woken") }
      note("waker")
      await new.value
    }
    #expect(orders == ["waker woken", "woken waker"])
  }

  @Test @available(macOS 15, *)
  func `other strategies change tasks only where they are suspended`() async {
    for (name, strategy) in namedStrategies
    where name != "woken first" && name != "portfolio" {
      let orders = await orders(strategy) { note in
        let new = Task { note("woken") }
        note("waker")
        await new.value
      }
      #expect(orders == ["waker woken"], "\(name)")
    }
  }

  /// Explores a program, and returns the distinct orders of its notes, sorted.
  @available(macOS 15, *)
  private func orders(
    _ strategy: ExplorationStrategy,
    _ program: @escaping @Sendable (@escaping @Sendable (String) -> Void) async -> Void
  ) async -> [String] {
    let (_, orders) = await explored(strategy, schedules: 100) {
      let notes = Locked<[String]>([])
      await program { note in notes.withLock { $0.append(note) } }
      return notes.withLock { $0 }.joined(separator: " ")
    }
    return Set(orders).sorted()
  }

  @Test @available(macOS 15, *)
  func `S7 the schedule of a task that ran first is replayed`() async throws {
    let bug = try #require(Bug.all.first { $0.name == "asked too early" })
    for seed in 0..<UInt64(rounds(20)) {
      let failure = try #require(
        try await bug.explored(bug.buggy, strategy: .wokenFirst, seed: seed).failure,
        "seed \(seed)")
      // The reader has to wait when the last tick comes, and has to run first then.
      #expect(failure.shrunk.switches == 2, "seed \(seed)")
      let again = try await bug.explored(bug.buggy, replay: failure.replay)
      #expect(again.failed == 1, "seed \(seed)")
      #expect(again.failure?.replay == failure.replay, "seed \(seed)")
      let fixed = try await bug.explored(bug.fixed, replay: failure.replay)
      #expect(fixed.failed == 0, "seed \(seed)")
    }
  }

  @Test @available(macOS 15, *)
  func `the table says before which task a woken task ran`() async throws {
    let bug = try #require(Bug.all.first { $0.name == "asked too early" })
    let result = try await bug.explored(bug.buggy, strategy: .wokenFirst)
    let failure = try #require(result.failure)
    let rows = failure.shrunk.text(ending: failure.cause).split(separator: "\n").map(String.init)
    #expect(rows.contains { $0.contains("> goes on") }, "\(rows)")
  }

  @Test @available(macOS 15, *)
  func
    `a woken task that needs a lock of its waker runs first once, in a schedule that is repeated`()
    async throws
  {
    let (result, orders) = await explored(.wokenFirst, schedules: 200) {
      let lock = NSLock()
      let notes = Locked<[String]>([])
      // The lock is held while a task is created that needs it.
      let blocked = lock.withLock {
        let new = Task { lock.withLock { notes.withLock { $0.append("blocked") } } }
        notes.withLock { $0.append("released") }
        return new
      }
      let free = Task { notes.withLock { $0.append("free") } }
      notes.withLock { $0.append("on") }
      _ = await (blocked.value, free.value)
      return notes.withLock { $0 }.joined(separator: " ")
    }
    #expect(result.run == 200)
    // One schedule did not count: its woken task blocked. From then on a task that is suspended in that function does
    // not run after a wake-up.
    #expect(orders.count == 201)
    #expect(orders.allSatisfy { $0.hasPrefix("released ") })
    // Other tasks still run first.
    #expect(
      orders.contains { $0.contains("free on") } && orders.contains { $0.contains("on free") })
  }

  @Test @available(macOS 15, *)
  func `a woken task that reads a slow file runs first, and no schedule is repeated`() async {
    let hasRead = Locked(false)
    let (result, orders) = await explored(.wokenFirst, schedules: 100) {
      let log = Locked("")
      let reader = Task {
        let readsSlowly = log.withLock(\.isEmpty) && !hasRead.withLock { $0 }
        if readsSlowly {
          // real time: stands for a slow file, ten times as long as a lock may take
          outsideSimulations { _ = usleep(500_000) }
          hasRead.withLock { $0 = true }
        }
        log.withLock { $0 += "reader " }
      }
      log.withLock { $0 += "waker " }
      await reader.value
      return log.withLock { $0 }
    }
    #expect(result.run == 100 && orders.count == 100)
    #expect(Set(orders) == ["waker reader ", "reader waker "])
  }

  @Test @available(macOS 15, *)
  func `a lock that is slow only when a failure is confirmed does not hide the failure`() async {
    let runs = Locked(0)
    let explorer = Explorer(
      ExplorationPlan(name: "test", schedules: 100, strategy: .wokenFirst, seed: 0))
    _ = await run(explorer, failing: { $0 == "woken waker " }) {
      let log = Locked("")
      let woken = Task {
        let isSecond = runs.withLock { runs in
          if log.withLock({ $0.isEmpty }) { runs += 1 }
          return runs == 2
        }
        if isSecond { awaitOtherThread() }
        log.withLock { $0 += "woken " }
      }
      log.withLock { $0 += "waker " }
      await woken.value
      return log.withLock { $0 }
    }
    #expect(runs.withLock { $0 } >= 2)
    #expect(explorer.explorationError == nil, "\(String(describing: explorer.explorationError))")
    #expect(explorer.result.failure?.shrunk.switches == 1)
  }

  /// Waits in real time for another thread.
  private func awaitOtherThread() {
    let semaphore = ThreadSignal()
    startThread {
      usleep(200_000)  // real time: a lock that another thread holds for long
      semaphore.send()
    }
    semaphore.wait()
  }

  @Test @available(macOS 15, *)
  func `a helper that another helper wakes is no change for that one`() async {
    let (_, changes) = await explored(.wokenFirst, schedules: 50) {
      let simulation = Simulation.current!
      let second = Instant(.seconds(1))
      let changes = Locked<[SimulationWatch.Change]>([])
      let wakers = Locked<[Task<Void, Never>]>([])
      await withTaskGroup { group in
        group.addTask {
          let woken = simulation.watch()
          woken.willEvaluate()
          await withUnsafeContinuation { condition in
            let task = Task {
              let waker = simulation.watch()
              waker.willEvaluate()
              condition.resume()
              let change = await waker.nextChange(until: second, reachesDeadline: true)
              changes.withLock { $0.append(change) }
              waker.stop()
            }
            wakers.withLock { $0.append(task) }
          }
          while await woken.nextChange(until: second, reachesDeadline: true) == .happened {
            woken.willEvaluate()
          }
          woken.stop()
        }
      }
      for waker in wakers.withLock({ $0 }) { await waker.value }
      return changes.withLock { $0 }
    }
    #expect(Set(changes) == [[.reached]])
  }

  @Test @available(macOS 15, *)
  func `the same seed gives the same schedules`() async {
    func steps() async -> [String] {
      await explored(.wokenFirst, schedules: 50, seed: 3) { await interleave([3, 3, 3]) }.values
    }
    let first = await steps()
    #expect(await steps() == first)
    #expect(Set(first).count > 1)
  }
}
