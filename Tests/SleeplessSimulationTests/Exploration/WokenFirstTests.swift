// virtual time: everything here runs in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

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
  func `a woken task that needs a lock of its waker does not run first, and nothing hangs`()
    async throws
  {
    let (result, values) = await explored(.wokenFirst, schedules: 200) {
      let lock = NSLock()
      let sum = Locked(0)
      await withTaskGroup { group in
        for _ in 0..<3 {
          group.addTask {
            // The lock is held while a task is created that needs it.
            let new = lock.withLock {
              Task { lock.withLock { sum.withLock { $0 += 1 } } }
            }
            await new.value
          }
        }
      }
      return sum.withLock { $0 }
    }
    #expect(result.run == 200)
    #expect(values.allSatisfy { $0 == 3 })
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
