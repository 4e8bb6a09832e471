// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing
import VirtualTime

/// Suspension, barriers and targets of Dispatch's queues in simulations (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct DispatchQueueStateTests {
  private let queue = DispatchQueue(label: "com.example.queue")
  private let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)

  // MARK: Suspension

  @Test func `S10 a queue that is suspended after async runs nothing until it is resumed`()
    async throws
  {
    let log = try await log { [queue] log in
      queue.async { log.write("block") }
      queue.suspend()
      try await Task.sleep(for: .seconds(1))
      log.write("resume")
      queue.resume()
    }
    #expect(log == ["1 resume", "1 block"])
  }

  @Test func `S10 blocks keep their order when their concurrent queue is suspended after async`()
    async throws
  {
    let log = try await log { [concurrent] log in
      for number in 1...3 { concurrent.async { log.write("\(number)") } }
      concurrent.suspend()
      try await Task.sleep(for: .seconds(1))
      concurrent.resume()
    }
    #expect(log == ["1 1", "1 2", "1 3"])
  }

  @Test func `S10 sync on a queue that is suspended meanwhile waits until it is resumed`()
    async throws
  {
    let log = try await log { [queue] log in
      queue.async { Thread.sleep(forTimeInterval: 2) }
      Task { queue.sync { log.write("sync") } }
      try await Task.sleep(for: .seconds(1))
      queue.suspend()
      try await Task.sleep(for: .seconds(3))
      queue.resume()
    }
    #expect(log == ["4 sync"])
  }

  @Test func `S10 a queue runs nothing while a queue that it targets is suspended`() async throws {
    let log = try await log { [concurrent] log in
      let queue = DispatchQueue(label: "com.example.targeting", target: concurrent)
      concurrent.suspend()
      queue.async { log.write("block") }
      try await Task.sleep(for: .seconds(1))
      concurrent.resume()
    }
    #expect(log == ["1 block"])
  }

  @Test func `S10 a queue that is suspended twice goes on when it is resumed twice`() async throws {
    let log = try await log { [queue] log in
      for _ in 1...2 { queue.suspend() }
      queue.async { log.write("block") }
      for number in 1...2 {
        try await Task.sleep(for: .seconds(1))
        log.write("resume \(number)")
        queue.resume()
      }
    }
    #expect(log == ["1 resume 1", "2 resume 2", "2 block"])
  }

  @Test(arguments: [false, true])
  func `S10 a queue goes on when it and the suspended queue that it targets are resumed`(
    isTargetFirst: Bool
  ) async throws {
    let log = try await log { [queue] log in
      let targeting = DispatchQueue(label: "com.example.targeting", target: queue)
      let queues = isTargetFirst ? [queue, targeting] : [targeting, queue]
      for queue in queues { queue.suspend() }
      targeting.async { log.write("block") }
      Task { targeting.sync { log.write("sync") } }
      for queue in queues {
        try await Task.sleep(for: .seconds(1))
        log.write("resumes \(queue.label)")
        queue.resume()
      }
    }
    let names = ["com.example.queue", "com.example.targeting"]
    let resumed = isTargetFirst ? names : names.reversed()
    #expect(
      log == ["1 resumes \(resumed[0])", "2 resumes \(resumed[1])", "2 block", "2 sync"])
  }

  @Test func `S10 what its target gets meanwhile runs when only the target is resumed`()
    async throws
  {
    let log = try await log { [queue] log in
      let targeting = DispatchQueue(label: "com.example.targeting", target: queue)
      for queue in [queue, targeting] { queue.suspend() }
      targeting.async { log.write("targeting") }
      queue.async { log.write("target") }
      try await Task.sleep(for: .seconds(1))
      queue.resume()
      try await Task.sleep(for: .seconds(1))
      queue.suspend()
      targeting.resume()
      try await Task.sleep(for: .seconds(1))
      queue.resume()
    }
    #expect(log == ["1 target", "3 targeting"])
  }

  @Test func `S5 a queue that code outside resumes is counted`() async throws {
    let log = try await log(externalResumptions: 1) { [queue] log in
      queue.suspend()
      await withCheckedContinuation { done in
        queue.async {
          log.write("block")
          done.resume()
        }
        Thread.detachNewThread { queue.resume() }
      }
    }
    #expect(log == ["0 block"])
  }

  @Test func `S5 a group that code outside leaves is counted`() async throws {
    let log = try await log(externalResumptions: 1) { [queue] log in
      await withCheckedContinuation { done in
        let group = DispatchGroup()
        group.enter()
        group.notify(queue: queue) {
          log.write("block")
          done.resume()
        }
        Thread.detachNewThread { group.leave() }
      }
    }
    #expect(log == ["0 block"])
  }

  @Test func `S5 a group that code outside leaves is counted, also if the queue is busy`()
    async throws
  {
    let log = try await log(externalResumptions: 1) { [queue] log in
      queue.async { Thread.sleep(forTimeInterval: 5) }
      let group = DispatchGroup()
      group.enter()
      group.notify(queue: queue) { log.write("block") }
      try await Task.sleep(for: .seconds(1))
      leaveOutside(group)
    }
    #expect(log == ["5 block"])
  }

  // MARK: Barriers

  @Test func `S10 a work item for which a group is empty can be a barrier`() async throws {
    let log = try await log { [concurrent] log in
      concurrent.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("read")
      }
      let item = DispatchWorkItem(flags: .barrier) { log.write("barrier") }
      DispatchGroup().notify(queue: concurrent, work: item)
    }
    #expect(log == ["1 read", "1 barrier"])
  }

  @Test func `S10 a work item can be a barrier, in a group too`() async throws {
    let log = try await log { [concurrent] log in
      concurrent.async { Thread.sleep(forTimeInterval: 1) }
      let item = DispatchWorkItem(flags: .barrier) {
        Thread.sleep(forTimeInterval: 1)
        log.write("item")
      }
      concurrent.async(execute: item)
      concurrent.async(group: DispatchGroup(), flags: .barrier) {
        Thread.sleep(forTimeInterval: 1)
        log.write("in group")
      }
      concurrent.sync { log.write("after") }
    }
    #expect(log == ["2 item", "3 in group", "3 after"])
  }

  @Test func `S10 a barrier of a queue waits for the blocks of queues that target it`()
    async throws
  {
    let log = try await log { [concurrent] log in
      let queue = DispatchQueue(label: "com.example.targeting", target: concurrent)
      queue.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("block")
      }
      await Task.yield()
      concurrent.async(flags: .barrier) {
        Thread.sleep(forTimeInterval: 1)
        log.write("barrier")
      }
      await Task.yield()
      queue.async { log.write("after") }
    }
    #expect(log == ["1 block", "2 barrier", "2 after"])
  }

  @Test func `S10 a barrier on a queue of the system's is none`() async throws {
    let log = try await log { log in
      for number in 1...2 {
        DispatchQueue.global().async(flags: .barrier) {
          Thread.sleep(forTimeInterval: 1)
          log.write("\(number)")
        }
      }
    }
    #expect(log == ["1 1", "1 2"])
  }

  // MARK: Targets

  @Test func `S10 a target that is set before a queue is activated holds for its blocks`()
    async throws
  {
    let inactive = DispatchQueue(label: "com.example.inactive", attributes: .initiallyInactive)
    let log = try await log { [queue] log in
      queue.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("target")
      }
      inactive.async { log.write("block") }
      inactive.setTarget(queue: queue)
      inactive.activate()
    }
    #expect(log == ["1 target", "1 block"])
  }

  // MARK: Who gives a block

  @Test func `S10 a scheduler's work belongs to the simulation after a job has used a queue`()
    async throws
  {
    let log = try await log { [queue] log in
      Self.schedule(after: .seconds(1)) { log.write("work") }
      Task { queue.async { log.write("block") } }
    }
    #expect(log == ["0 block", "1 work"])
  }

  @Test func `S10 sync in a scheduler's work runs after the blocks before it`() async throws {
    let log = try await log { [concurrent] log in
      Self.schedule(after: .seconds(1)) {
        concurrent.async(flags: .barrier) { log.write("write") }
        concurrent.sync { log.write("read") }
      }
    }
    #expect(log == ["1 write", "1 read"])
  }

  @Test func `S10 sync in a scheduler's work runs a block for which a thread waits`() async throws {
    let log = try await log { [queue] log in
      queue.suspend()
      Task {
        queue.sync { log.write("task") }
        log.write("goes on")
      }
      Self.schedule(after: .seconds(1)) {
        queue.resume()
        queue.sync { log.write("work") }
      }
    }
    #expect(log == ["1 task", "1 work", "1 goes on"])
  }

  @Test func `S10 an actor whose executor uses a queue can wait for another queue`() async throws {
    let log = try await log { [queue] log in
      queue.async {
        Thread.sleep(forTimeInterval: 5)
        log.write("block")
      }
      try await Task.sleep(for: .seconds(1))
      let actor = QueueActor()
      let value = await actor.perform {
        let value = queue.sync { "sync" }
        Thread.sleep(forTimeInterval: 1)
        return value
      }
      log.write(value)
    }
    #expect(log == ["5 block", "6 sync"])
  }

  @Test(.needs(.clocks))
  func `a block that a background task gives is background work, also repeated`() async throws {
    let log = try await log { [queue] log in
      await Simulation.current!.background {
        @Sendable func tick() {
          log.write("tick")
          queue.asyncAfter(deadline: .now() + 1) { tick() }
        }
        await Task { tick() }.value
      }
      try await Task.sleep(for: .milliseconds(1500))
    }
    #expect(log == ["0 tick", "1 tick"])
  }

  @Test func `a block is released when it has run, while others wait`() async throws {
    let log = try await log { [queue] log in
      weak var held: Captured?
      do {
        let object = Captured()
        held = object
        queue.async { withExtendedLifetime(object) {} }
      }
      queue.async { Thread.sleep(forTimeInterval: 10) }
      queue.async {}
      try await Task.sleep(for: .seconds(1))
      log.write(held == nil ? "released" : "held")
    }
    #expect(log == ["1 released"])
  }

  @Test func `a block whose deadline is never reached is kept until the simulation is over`()
    async throws
  {
    let isReleased = Locked(false)
    _ = try await log { [queue] _ in
      let object = Captured { isReleased.withLock { $0 = true } }
      queue.asyncAfter(deadline: .distantFuture) { withExtendedLifetime(object) {} }
      try await Task.sleep(for: .seconds(1))
      #expect(!isReleased.withLock { $0 })
    }
    #expect(isReleased.withLock { $0 })
  }

  @Test(.needs(.clocks))
  func `a timer that a scheduler's work sets counts from the time of that work`() async throws {
    let log = try await log { [queue] log in
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
      Self.schedule(after: .seconds(10)) {
        timer.setEventHandler { log.write("\(timer.data)") }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.activate()
      }
      try await Task.sleep(for: .milliseconds(12_500))
      timer.cancel()
    }
    #expect(log == ["11 1", "12 1"])
  }

  private static func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let queue = Simulation.current!.associatedObject { Work(queue: TimelineQueue(nil, on: $0)) }
      .queue
    _ = queue.schedule(.function(work), after: delay, label: "work", at: CallSite())
  }

  private final class Captured: Sendable {
    private let release: @Sendable () -> Void
    init(_ release: @escaping @Sendable () -> Void = {}) { self.release = release }
    deinit { release() }
  }

  private final class Work: Sendable {
    let queue: TimelineQueue
    init(queue: TimelineQueue) { self.queue = queue }
  }

  // MARK: The end

  @Test func `a block that runs when the simulation ends is cancelled`() async {
    let log = QueueLog()
    _ = await Simulation.run { [queue] in
      queue.async {
        log.write("cancelled: \(Task.isCancelled)")
        Thread.sleep(forTimeInterval: 1)
        log.write("cancelled: \(Task.isCancelled)")
      }
      await Task.yield()
    }
    #expect(log.values == ["0 cancelled: false", "1 cancelled: true"])
  }

  @Test func `what a suspended queue has left runs outside when the simulation is over`() async {
    let log = QueueLog()
    let group = DispatchGroup()
    let outcome = await Simulation.run { [queue] in
      queue.suspend()
      for number in 1...3 { queue.async(group: group) { log.write("\(number)") } }
      group.notify(queue: queue) { log.write("notified") }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(log.values == [])
    queue.resume()
    await withCheckedContinuation { done in group.notify(queue: queue) { done.resume() } }
    #expect(log.values == ["outside 1", "outside 2", "outside 3", "outside notified"])
  }

  @Test func `a thread that waits for a suspended queue goes on outside`() async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let log = QueueLog()
    let outcome = await Simulation.run { [queue] in
      queue.suspend()
      Task {
        queue.sync { log.write("sync") }
        end.finish()
      }
    }
    #expect(outcome.report.unfinishedTasks.count == 1)
    #expect(log.values == [])
    queue.resume()
    for await _ in ends {}
    #expect(log.values.count == 1)
  }

  @Test func `blocks of a body that hangs and was lent never run`() async {
    let log = QueueLog()
    let outcome = await Simulation.run(
      lent: { [queue] in
        queue.suspend()
        queue.async { log.write("block") }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }, Simulation.Options())
    #expect(outcome.report.ending.name == "deadlock")
    queue.resume()
    queue.sync {}
    #expect(log.values == [])
  }
}

/// Leaves a group on a thread outside the simulation. The thread of the simulation waits for it in real time.
private func leaveOutside(_ group: DispatchGroup) {
  let hasLeft = ThreadSignal()
  Thread.detachNewThread {
    group.leave()
    hasLeft.send()
  }
  hasLeft.wait()
}
