// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

#if os(Linux)
  import CoreFoundation
#endif

/// Simulations that run at the same time, each on queues of its own and all on the same queues, keep their orders and
/// times on them (S4, S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct SideBySideQueueTests {
  @Test func `S4 barriers`() async {
    await expectEach(["1 read", "2 barrier", "2 read again"]) { second, queues, log in
      queues.concurrent.async {
        second.pass()
        log.write("read")
      }
      queues.concurrent.async(flags: .barrier) {
        second.pass()
        log.write("barrier")
      }
      queues.concurrent.async { log.write("read again") }
    }
  }

  @Test func `S4 groups that blocks enter and leave`() async {
    await expectEach(["1 left", "1 notified", "1 waited", "3 waited again"]) {
      second, queues, log in
      let group = DispatchGroup()
      group.enter()
      queues.concurrent.async {
        second.pass()
        log.write("left")
        group.leave()
      }
      group.notify(queue: queues.concurrent) { log.write("notified") }
      await withCheckedContinuation { done in
        group.notify(queue: queues.concurrent) { done.resume() }
      }
      log.write("waited")
      queues.concurrent.async(group: group) { second.pass(2) }
      block(on: group)
      log.write("waited again")
    }
  }

  @Test func `S4 sync, from tasks and from blocks`() async {
    await expectEach(["1 block", "2 sync", "3 sync in a block"]) { second, queues, log in
      queues.serial.async {
        second.pass()
        log.write("block")
      }
      await Task.yield()
      queues.serial.sync {
        second.pass()
        log.write("sync")
      }
      let own = DispatchQueue(label: "com.example.own")
      own.async {
        queues.serial.sync { second.pass() }
        log.write("sync in a block")
      }
    }
  }

  #if os(Linux)
    @Test func `S4 asyncAndWait of C, from tasks and from blocks`() async {
      await expectEach(["1 block", "2 waited for", "3 barrier", "4 waited for in a block"]) {
        second, queues, log in
        queues.serial.async {
          second.pass()
          log.write("block")
        }
        await Task.yield()
        asyncAndWait(queues.serial.object) {
          second.pass()
          log.write("waited for")
        }
        barrierAsyncAndWait(queues.concurrent.object) {
          second.pass()
          log.write("barrier")
        }
        let own = DispatchQueue(label: "com.example.own")
        own.async {
          asyncAndWait(queues.serial.object) { second.pass() }
          log.write("waited for in a block")
        }
      }
    }
  #endif

  @Test func `S4 the main queue`() async {
    await expectEach(["1 block", "2 sync", "3 sync in a block"]) { second, _, log in
      DispatchQueue.main.async {
        second.pass()
        log.write("block")
      }
      await Task.yield()
      DispatchQueue.main.sync {
        second.pass()
        log.write("sync")
      }
      DispatchQueue.global().async {
        DispatchQueue.main.sync { second.pass() }
        log.write("sync in a block")
      }
    }
  }

  @Test func `S4 work items`() async {
    await expectEach(["1 item", "1 notified", "2 waited"]) { second, queues, log in
      let item = DispatchWorkItem {
        second.pass()
        log.write("item")
      }
      item.notify(queue: queues.serial) { log.write("notified") }
      let late = DispatchWorkItem { second.pass() }
      let cancelled = DispatchWorkItem { log.write("cancelled") }
      queues.serial.async(execute: item)
      queues.serial.async(execute: cancelled)
      cancelled.cancel()
      item.wait()
      await Simulation.current!.settle()
      queues.serial.async(execute: late)
      late.wait()
      log.write("waited")
    }
  }

  @Test(.needs(.clocks)) func `S4 timer sources`() async {
    await expectEach((1...5).map { "\($0) event" }) { second, queues, log in
      let timer = DispatchSource.makeTimerSource(queue: queues.serial)
      timer.setEventHandler { log.write("event") }
      timer.schedule(deadline: .now() + second.seconds, repeating: second.seconds)
      timer.activate()
      try await Task.sleep(for: .seconds(second.seconds * 5.5))
      timer.cancel()
    }
  }

  @Test(.needs(.clocks)) func `S4 delayed blocks`() async {
    await expectEach(["1 first", "2 second", "3 third"]) { second, queues, log in
      queues.serial.asyncAfter(wallDeadline: .now() + 2 * second.seconds) { log.write("second") }
      queues.serial.asyncAfter(deadline: .now() + second.seconds) {
        log.write("first")
        queues.serial.asyncAfter(deadline: .now() + 2 * second.seconds) { log.write("third") }
      }
      try await Task.sleep(for: .seconds(4 * second.seconds))
    }
  }

  @Test func `S4 concurrentPerform`() async {
    await expectEach(["1 0", "2 1", "3 2"]) { second, queues, log in
      queues.concurrent.async {
        DispatchQueue.concurrentPerform(iterations: 3) { iteration in
          second.pass()
          log.write("\(iteration)")
        }
      }
    }
  }

  @Test(.needs(.operations)) func `S4 operation queues of their own`() async {
    await expectEach(["1 one", "2 two", "2 waited", "3 all"]) { second, _, log in
      let operations = ["one", "two"].map { name in
        BlockOperation {
          second.pass()
          log.write(name)
        }
      }
      operations[1].addDependency(operations[0])
      let queue = OperationQueue()
      for operation in operations { queue.addOperation(operation) }
      wait(for: operations[1])
      log.write("waited")
      for _ in 1...3 { queue.addOperation { second.pass() } }
      wait(for: queue)
      log.write("all")
    }
  }

  @Test(.needs(.clocks)) func `S4 semaphores`() async {
    await expectEach(["1 signalled", "2 timed out", "2 passed on"]) { second, queues, log in
      let semaphore = DispatchSemaphore(value: 0)
      queues.concurrent.async {
        semaphore.wait()
        log.write("signalled")
        _ = semaphore.wait(timeout: .now() + second.seconds)
        log.write("timed out")
        semaphore.signal()
      }
      second.pass()
      semaphore.signal()
      // The block waits again meanwhile.
      try await Task.sleep(for: .seconds(0.5 * second.seconds))
      block(on: semaphore)
      log.write("passed on")
    }
  }

  @Test func `S4 sleeping threads`() async {
    await expectEach(["1 task", "2 block", "3 task again"]) { second, queues, log in
      queues.serial.async {
        second.pass(2)
        log.write("block")
      }
      let task = Task {
        second.pass()
        log.write("task")
        second.pass(2)
        log.write("task again")
      }
      await task.value
    }
  }

  /// A call that lets a thread sleep, beside `Thread.sleep(forTimeInterval:)`.
  enum Sleep: String, CaseIterable {
    case sleep, usleep, nanosleep
    case untilDate = "Thread.sleep(until:)"

    func pass(_ seconds: Double) {
      switch self {
      case .sleep: _ = Foundation.sleep(UInt32(seconds))
      case .usleep: Foundation.usleep(UInt32(seconds * 1e6))
      case .nanosleep:
        #if os(Linux)
          var time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
          Foundation.nanosleep(&time, nil)
        #else
          break  // The tests that call it need what Linux has.
        #endif
      case .untilDate: Thread.sleep(until: Date(timeIntervalSinceNow: seconds))
      }
    }
  }

  @Test(.needs(.dates), arguments: Sleep.allCases)
  func `S4 threads that sleep by each call`(call: Sleep) async {
    await expectEach(["1 task", "2 block", "3 task again"]) { second, queues, log in
      queues.serial.async {
        call.pass(2 * second.seconds)
        log.write("block")
      }
      let task = Task {
        call.pass(second.seconds)
        log.write("task")
        call.pass(2 * second.seconds)
        log.write("task again")
      }
      await task.value
    }
  }

  @Test(.needs(.runLoops), .needs(.dates), .needs(.clocks), arguments: [false, true])
  func `S4 runs of run loops, of their threads' and of the main one`(isOnMainActor: Bool) async {
    await expectEach(["1 block", "2 timer", "3 run"]) { second, queues, log in
      queues.serial.asyncAfter(deadline: .now() + second.seconds) { log.write("block") }
      let runs: @Sendable () -> Void = {
        // It repeats: without a timer the run would end at once.
        let timer = Timer.scheduledTimer(
          withTimeInterval: 2 * second.seconds, repeats: true
        ) { _ in log.write("timer") }
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 3 * second.seconds))
        timer.invalidate()
        log.write("run")
      }
      if isOnMainActor {
        await MainActor.run { runs() }
      } else {
        queues.concurrent.async(execute: runs)
      }
    }
  }

  @Test(.needs(.dates), .needs(.clocks)) func `S4 dates and clocks`() async {
    await expectEach(["1 passed", "2 passed"]) { second, queues, log in
      let start = readings()
      let write: @Sendable () -> Void = {
        let passed = zip(start, readings()).map { Int((($1 - $0) / second.seconds).rounded()) }
        let now = Int((Simulation.current!.now / .seconds(second.seconds)).rounded())
        log.write(passed.allSatisfy { $0 == now } ? "passed" : "\(passed)")
      }
      second.pass()
      write()
      queues.serial.async {
        second.pass()
        write()
      }
    }
  }

  @Test(.needs(.operations), .needs(.dates)) func `S4 conditions`() async {
    await expectEach(["1 signalled", "2 timed out", "3 all", "3 all"]) { second, queues, log in
      let condition = NSCondition()
      queues.serial.async {
        condition.withLock { condition.wait() }
        log.write("signalled")
        let deadline = Date(timeIntervalSinceNow: second.seconds)
        condition.withLock { while condition.wait(until: deadline) {} }
        log.write("timed out")
      }
      queues.concurrent.async {
        second.pass()
        condition.signal()
        second.pass(2)
        condition.broadcast()
      }
      second.pass(2.5)
      for _ in 1...2 {
        queues.concurrent.async {
          condition.withLock { condition.wait() }
          log.write("all")
        }
      }
    }
  }

  #if os(Linux)
    @Test(.needs(.operations), .needs(.clocks), arguments: [CLOCK_REALTIME, CLOCK_MONOTONIC])
    func `S4 conditions of C`(clock: clockid_t) async {
      await expectEach(["1 signalled", "2 timed out", "3 all", "3 all"]) { second, queues, log in
        let condition = ConditionOfC(clock)
        queues.serial.async {
          condition.wait()
          log.write("signalled")
          let result = condition.wait(seconds: Int(second.seconds))
          log.write(result == ETIMEDOUT ? "timed out" : "signalled again")
        }
        queues.concurrent.async {
          second.pass()
          condition.signal()
          second.pass(2)
          condition.broadcast()
        }
        second.pass(2.5)
        queues.concurrent.async {
          condition.wait()
          log.write("all")
        }
        queues.concurrent.async {
          log.write(condition.wait(seconds: Int(second.seconds)) == 0 ? "all" : "timed out")
        }
      }
    }
  #endif

  @Test(.needs(.operations), .needs(.dates)) func `S4 condition locks`() async {
    await expectEach(["1 one", "2 two", "3 not three", "4 zero"]) { second, queues, log in
      let lock = NSConditionLock(condition: 0)
      let takes: @Sendable (Int, Double) -> Bool = { condition, seconds in
        let deadline = Date(timeIntervalSinceNow: seconds * second.seconds)
        return lock.lock(whenCondition: condition, before: deadline)
      }
      queues.serial.async {
        log.write(takes(1, 60) ? "one" : "not one")
        second.pass()
        lock.unlock(withCondition: 2)
        log.write(takes(3, 1) ? "three" : "not three")
      }
      queues.concurrent.async {
        log.write(takes(2, 60) ? "two" : "not two")
        second.pass(2)
        lock.unlock(withCondition: 0)
      }
      queues.concurrent.async {
        second.pass()
        lock.unlock(withCondition: takes(0, 60) ? 1 : -1)
        log.write(takes(0, 60) ? "zero" : "not zero")
        lock.unlock()
      }
    }
  }
}

/// The unit of time of a simulation, another one in each: so an event of another simulation shows.
private struct Second: Sendable {
  let seconds: Double

  func pass(_ count: Double = 1) { Thread.sleep(forTimeInterval: count * seconds) }
}

private final class Queues: Sendable {
  let serial = DispatchQueue(label: "com.example.serial")
  let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
}

/// Runs a program in eight simulations at the same time, and compares what each has written, with times in its own
/// unit.
private func expectEach(
  at location: SourceLocation = #_sourceLocation, _ expected: [String],
  _ program: @escaping @Sendable (Second, Queues, QueueLog) async throws -> Void
) async {
  for shared in [nil, Queues()] {
    let meeting = Meeting(of: 8)
    let logs = await withTaskGroup { group in
      for number in 1...8 {
        group.addTask {
          let log = try? await log(at: location) { log in
            try await Simulation.current!.outside { await meeting.join() }
            try await program(Second(seconds: Double(number)), shared ?? Queues(), log)
          }
          return (number, log)
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in 1...8 {
      let inSeconds = expected.map { entry in
        let parts = entry.split(separator: " ", maxSplits: 1)
        return "\(Int(parts[0])! * number) \(parts[1])"
      }
      #expect(logs[number] == inSeconds, sourceLocation: location)
    }
  }
}

/// Lets tasks go on when all have come.
private final class Meeting: Sendable {
  private let missing: Locked<Int>
  private let latch = Latch()

  init(of count: Int) { missing = Locked(count) }

  func join() async {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { latch.open() }
    await latch.wait()
  }
}

// These functions are synchronous because asynchronous code must not call what they call.

private func wait(for operation: Operation) { operation.waitUntilFinished() }

private func wait(for queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }

/// What the clocks show, in seconds.
private func readings() -> [Double] {
  var readings = [
    Date().timeIntervalSince1970, Double(DispatchTime.now().uptimeNanoseconds) / 1e9,
  ]
  #if os(Linux)
    var day = timeval()
    gettimeofday(&day, nil)
    readings += [
      CFAbsoluteTimeGetCurrent(), Double(time(nil)), Double(day.tv_sec) + Double(day.tv_usec) / 1e6,
    ]
  #endif
  return readings
}
