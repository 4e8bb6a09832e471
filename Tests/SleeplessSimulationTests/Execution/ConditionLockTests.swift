// virtual time: all sleeps are in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A wait for the condition of an `NSConditionLock` takes virtual time (S10).
///
/// All waits have a limit. One without a limit stops the process in Foundation on Linux with Swift 6.3, also without a
/// simulation: its date is too late for a number of nanoseconds.
@Suite(.needs(.operations), .needs(.dates), .timeLimit(.minutes(10))) struct ConditionLockTests {
  @Test func `S10 a lock with a condition is waited for until code sets the condition`()
    async throws
  {
    let log = try await log { log in
      let lock = NSConditionLock(condition: 0)
      Task {
        lock.take(when: 2)
        log.write("two")
        lock.release(with: 0)
      }
      Task {
        lock.take(when: 1)
        log.write("one")
        sleepThread(.seconds(5))
        lock.release(with: 2)
      }
      try await Task.sleep(for: .seconds(3))
      lock.take(when: 0)
      lock.release(with: 1)
      try await Task.sleep(for: .seconds(10))
      log.write("\(lock.condition)")
    }
    #expect(log == ["3 one", "8 two", "13 0"])
  }

  @Test(.needs(.queues)) func `S10 blocks and tasks pass a condition lock on to one another`()
    async throws
  {
    let log = try await log { log in
      let lock = NSConditionLock(condition: 0)
      let queue = DispatchQueue(label: "com.example.consumer")
      queue.async {
        for number in 1...3 {
          lock.take(when: 1)
          log.write("consumes \(number)")
          lock.release(with: 0)
        }
      }
      for number in 1...3 {
        lock.take(when: 0)
        sleepThread(.seconds(2))
        log.write("produces \(number)")
        lock.release(with: 1)
      }
    }
    #expect(
      log == [
        "2 produces 1", "2 consumes 1", "4 produces 2", "4 consumes 2", "6 produces 3",
        "6 consumes 3",
      ])
  }

  @Test func `S10 a wait with a limit ends at its date, or with the condition`()
    async throws
  {
    let log = try await log { log in
      let lock = NSConditionLock(condition: 0)
      try await Task.sleep(for: .seconds(86_400))
      log.write("\(lock.takes(when: 1, for: 60))")
      Task {
        try await Task.sleep(for: .seconds(40))
        lock.take(when: 0)
        lock.release(with: 1)
      }
      log.write("\(lock.takes(when: 1, for: 60))")
      lock.release(with: 1)
      log.write("\(lock.takes(when: 0, for: 0))")
      // The lock is free after a wait in vain.
      log.write("\(lock.takes(when: 1, for: 0))")
    }
    #expect(log == ["86460 false", "86500 true", "86500 false", "86500 true"])
  }

  @Test func `S10 a wait with a limit for a lock that is held ends at its date`()
    async throws
  {
    let log = try await log { log in
      let lock = NSConditionLock(condition: 0)
      let holder = Task {
        lock.take(when: 0)
        sleepThread(.seconds(10))
        lock.release(with: 0)
      }
      await Task.yield()
      log.write("\(lock.takes(for: 3))")
      log.write("\(lock.takes(when: 0, for: 3))")
      log.write("\(lock.takes(for: 5))")
      await holder.value
    }
    #expect(log == ["3 false", "6 false", "10 true"])
  }

  @Test func `S10 tryLock does not wait`() async throws {
    let log = try await log { log in
      let lock = NSConditionLock(condition: 1)
      log.write("\(lock.tryTake(when: 0)) \(lock.tryTake(when: 1)) \(lock.tryTake(when: 1))")
      lock.release(with: 0)
      log.write("\(lock.tryTake(when: 1)) \(lock.tryTake(when: 0))")
      let other = Task {
        lock.take()
        log.write("other")
      }
      sleepThread(.seconds(2))
      lock.release(with: 5)
      await other.value
      log.write("\(lock.condition)")
    }
    #expect(log == ["0 false true false", "0 false true", "2 other", "2 5"])
  }

  @Test(arguments: 1...20) func `S1 a seed gives the threads of a condition lock one order`(
    seed: Int
  ) async {
    var orders: Set<[String]> = []
    for _ in 1...5 {
      let log = QueueLog()
      var options = Simulation.Options()
      options.order = .shuffled(seed: UInt64(seed))
      _ = await Simulation.run(options) {
        let lock = NSConditionLock(condition: 0)
        await withTaskGroup { group in
          for number in 1...6 {
            group.addTask {
              lock.take(when: number % 2)
              log.write("\(number)")
              lock.release(with: (number + 1) % 2)
            }
          }
        }
      }
      orders.insert(log.values)
    }
    #expect(orders.count == 1)
    #expect(orders.first?.count == 6)
  }
}

// These functions are synchronous because asynchronous code must not call what they call.
extension NSConditionLock {
  fileprivate func take() { precondition(takes(for: 3600)) }
  fileprivate func take(when condition: Int) { precondition(takes(when: condition, for: 3600)) }
  fileprivate func release(with condition: Int) { unlock(withCondition: condition) }
  fileprivate func tryTake(when condition: Int) -> Bool { tryLock(whenCondition: condition) }
  fileprivate func takes(for seconds: Double) -> Bool {
    lock(before: Date(timeIntervalSinceNow: seconds))
  }
  fileprivate func takes(when condition: Int, for seconds: Double) -> Bool {
    lock(whenCondition: condition, before: Date(timeIntervalSinceNow: seconds))
  }
}
