// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Many calls that block threads, one after another and at the same time (S2, S6).
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct ManyBlockedThreadsTests {
  @Test func `S2 a thread sleeps ten thousand times`() async {
    let outcome = await Simulation.run { for _ in 1...10_000 { sleepThread(.seconds(1)) } }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .seconds(10_000))
  }

  @Test(.needs(.queues)) func `S2 ten thousand blocks of a queue sleep one after another`() async {
    let count = Locked(0)
    let outcome = await Simulation.run {
      let queue = DispatchQueue(label: "com.example.serial")
      for _ in 1...10_000 {
        queue.async {
          Thread.sleep(forTimeInterval: 1)
          count.withLock { $0 += 1 }
        }
      }
      queue.sync {}
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .seconds(10_000))
    #expect(count.withLock { $0 } == 10_000)
  }

  @Test func `S2 ten thousand waits for semaphores, one after another`() async {
    let outcome = await Simulation.run {
      let (semaphore, answer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      for _ in 1...5_000 {
        let task = Task {
          block(on: semaphore)
          answer.signal()
        }
        await Task.yield()
        semaphore.signal()
        block(on: answer)
        await task.value
      }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test(.needs(.queues), arguments: [511, 512])
  func `S2 511 threads may be blocked at the same time`(count: Int) async {
    let ended = Locked(0)
    let outcome = await Simulation.run {
      for _ in 1...count {
        DispatchQueue.global().async {
          Thread.sleep(forTimeInterval: 1)
          ended.withLock { $0 += 1 }
        }
      }
      try await Task.sleep(for: .seconds(2))
    }
    #expect(outcome.report.ending.name == (count < 512 ? "finished" : "tooManyBlockedThreads"))
    if count < 512 { #expect(ended.withLock { $0 } == 511) }
  }

  // In a process of its own, because of its eight thousand threads.
  @Test(.needs(.queues), .oneProcess)
  func `S4 sixteen simulations have five hundred blocked threads each at the same time`() async {
    await #expect(processExitsWith: .success) {
      let simulations = 16
      let threads = isUnderThreadSanitizer ? 250 : 500
      let allAreBlocked = Latch()
      let blocked = Locked(0)
      await withTaskGroup(of: Void.self) { group in
        for _ in 1...simulations {
          group.addTask {
            let order = Locked<[Int]>([])
            let outcome = await Simulation.run(Simulation.Options(timeout: .seconds(600))) {
              let semaphore = DispatchSemaphore(value: 0)
              for number in 1...threads {
                DispatchQueue.global().async {
                  semaphore.wait()
                  order.withLock { $0.append(number) }
                }
              }
              try await Task.sleep(for: .seconds(1))
              let areAll = blocked.withLock { blocked in
                blocked += 1
                return blocked == simulations
              }
              if areAll { allAreBlocked.open() }
              try await Simulation.current!.outside { await allAreBlocked.wait() }
              for _ in 1...threads { semaphore.signal() }
              await Simulation.current!.settle()
            }
            #expect(outcome.report.ending.name == "finished")
            #expect(outcome.report.elapsed == .seconds(1))
            #expect(outcome.report.externalResumptionCount == 0)
            #expect(order.withLock { $0 } == Array(1...threads))
          }
        }
      }
    }
  }

  // In a process of its own: the threads are kept for good.
  @Test(.needs(.queues), .oneProcess)
  func `ten thousand blocks that wait for a semaphore get 512 threads`() async {
    await #expect(processExitsWith: .success) {
      let semaphore = DispatchSemaphore(value: 0)
      await expectFewThreads { semaphore.wait() }
    }
  }

  @Test(.needs(.queues), .oneProcess)
  func `ten thousand blocks that wait for a group get 512 threads`() async {
    await #expect(processExitsWith: .success) {
      let group = DispatchGroup()
      group.enter()
      await expectFewThreads { group.wait() }
    }
  }

  @Test(.needs(.queues), .oneProcess)
  func `ten thousand blocks that wait for a queue get 512 threads`() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "com.example.held")
      queue.suspend()
      await expectFewThreads { queue.sync {} }
    }
  }

  @Test(.needs(.queues), .oneProcess)
  func `ten thousand tasks that wait for a semaphore get 512 threads`() async {
    await #expect(processExitsWith: .success) {
      let semaphore = DispatchSemaphore(value: 0)
      await expectFewThreads(inTasks: true) { semaphore.wait() }
    }
  }

  // In a process of its own: the loop keeps its thread for good.
  @Test(.needs(.queues), .oneProcess)
  func `S6 an endless loop in a block is a blocked thread after the timeout`() async {
    await #expect(processExitsWith: .success) {
      let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
        DispatchQueue(label: "com.example.busy").async {
          let isOver = Locked(false)
          while !isOver.withLock({ $0 }) {}
        }
        try await Task.sleep(for: .seconds(1))
      }
      #expect(outcome.report.ending.name == "threadBlocked")
      #expect(
        outcome.report.unfinishedTasks.map(\.text) == [
          "1 \"queue com.example.busy\" running since 0.0 seconds"
        ])
      #expect(outcome.report.body?.text == "0 sleeping until 1.0 seconds since 0.0 seconds")
    }
  }
}

/// Ten thousand blocks, or tasks, wait.
private func expectFewThreads(
  inTasks: Bool = false, _ wait: @escaping @Sendable () -> Void
) async {
  let outcome = await Simulation.run {
    for _ in 1...10_000 {
      if inTasks { Task { wait() } } else { DispatchQueue.global().async(execute: wait) }
    }
    try await Task.sleep(for: .seconds(2))
  }
  #expect(outcome.report.ending.name == "tooManyBlockedThreads")
  #if os(Linux)
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    #expect((512...600).contains(threads?.count ?? 0))
  #endif
}

/// The thread sanitizer knows 8128 threads.
private var isUnderThreadSanitizer: Bool {
  #if os(Linux)
    dlsym(nil, "__tsan_init") != nil
  #else
    false
  #endif
}
