// virtual time: all sleeps are in simulations
#if os(Linux)
  import CoreFoundation
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// A program that uses all that a simulation captures has one order (S1).
  @Suite(
    .needs(.queues), .needs(.operations), .needs(.runLoops), .needs(.clocks), .needs(.dates),
    .timeLimit(.minutes(10)))
  struct EveryKindOrderTests {
    private func order(seed: UInt64) async -> [String] {
      let log = Log<String>()
      let outcome = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
        await useEveryKind { event in
          let now = Simulation.current.map { "\($0.now)" } ?? "outside"
          log.append("\(now) \(event)")
        }
      }
      #expect(outcome.report.ending.name == "finished")
      #expect(outcome.report.externalResumptionCount == 0)
      return log.values
    }

    @Test func `S1 the same order 1,000 times out of 1,000, with each kind of call`() async {
      // Four seeds in turn, so that a run of one seed comes between two of another.
      var orders: [UInt64: Set<[String]>] = [:]
      for run in 0..<1_000 as Range<UInt64> {
        orders[run % 4, default: []].insert(await order(seed: run % 4))
      }
      #expect(orders.values.allSatisfy { $0.count == 1 })
      #expect(Set(orders.values).count == 4)
      // Nothing is lost in any order.
      let events = orders.values.map { Set($0.first!.map { $0.split(separator: " ").last! }) }
      #expect(Set(events).count == 1)
      #expect(events.first?.count == 48)
    }

    @Test func `S1 thirty runs on a busy machine have the order of an idle one`() async {
      let idle = await order(seed: 1)
      let load = BusyMachine()
      defer { load.stop() }
      for _ in 1...30 { #expect(await order(seed: 1) == idle) }
    }

    @Test func `S1 each process has the same order`() async {
      let names = await order(seed: 1).map { $0.split(separator: " ").last! }
      #expect(
        names.joined(separator: " ") == """
          second-1 second-2 main first performed timer chain-1 semaphore-timedOut \
          delayed-by-uptime was-suspended operation-1 read-by-item sleep read-2 run-loop-timer \
          operation-2 read-by-block task condition-1 condition-lock read-1 \
          semaphore-again-success group-waited barrier condition-2 item-waited stopped-run-loop \
          operation-barrier chain-2 timer sync-barrier item sync perform-0 perform-1 \
          chain-2-waited async-and-wait item-notified barrier-async-and-wait delayed chain-3 \
          chain-waited usleep group-timedOut timer group-notified nanosleep sleep-until \
          targets-main date-30
          """)
    }

    @Test func `S2 one thread runs at a time, whatever blocks the others`() async {
      let counter = UnsynchronizedCounter()
      let outcome = await Simulation.run {
        let queues = [
          DispatchQueue(label: "serial"), .main, .global(),
          DispatchQueue(label: "concurrent", attributes: .concurrent),
        ]
        for queue in queues {
          for _ in 1...4 { queue.async { counter.countAndSleep() } }
        }
        let operations = OperationQueue()
        for _ in 1...4 { operations.addOperation { counter.countAndSleep() } }
        for _ in 1...4 { Task { counter.countAndSleep() } }
        await Simulation.current?.settle()
      }
      #expect(counter.count == 24 * UnsynchronizedCounter.countPerJob)
      #expect(outcome.report.ending.name == "finished")
    }

    @Test func `S1 S4 simulations at the same time have the orders that they have alone`() async {
      var alone: [[String]] = []
      for seed in 0..<8 as Range<UInt64> { alone.append(await order(seed: seed)) }
      let expected = alone
      await withTaskGroup { group in
        for seed in 0..<8 {
          group.addTask {
            for _ in 1...5 { #expect(await order(seed: UInt64(seed)) == expected[seed]) }
          }
        }
      }
    }
  }

  /// Unchecked because one thread at a time uses it, which is what the test is about. The thread sanitizer would see two.
  private final class UnsynchronizedCounter: @unchecked Sendable {
    static let countPerJob = 20
    private(set) var count = 0

    /// Counts, and blocks its thread between two counts.
    func countAndSleep() {
      for _ in 1...Self.countPerJob {
        let counted = count
        // Another thread may run now, if the process has one.
        sched_yield()
        count = counted + 1
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
  }

  /// Uses queues, groups, semaphores, work items, timers, operations, conditions, run loops, sleeps and dates, at moments
  /// that often coincide.
  private func useEveryKind(_ note: @escaping @Sendable (String) -> Void) async {
    let date = Date()
    useStatesOfQueues(note)
    useTimedWaits(note)
    useConditions(note)
    useWaits(note)
    useOperations(note)
    let (group, semaphore) = (DispatchGroup(), DispatchSemaphore(value: 0))
    let (serial, other) = (DispatchQueue(label: "serial"), DispatchQueue(label: "other"))
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    for name in ["read-1", "read-2"] {
      concurrent.async(group: group) {
        Thread.sleep(forTimeInterval: 1)
        note(name)
        semaphore.signal()
      }
    }
    concurrent.async(group: group, flags: .barrier) { note("barrier") }
    let item = DispatchWorkItem {
      for _ in 1...2 { semaphore.wait() }
      note("item")
    }
    item.notify(queue: serial) { note("item-notified") }
    serial.async(group: group, execute: item)
    other.async(group: group) {
      serial.sync { note("sync") }
      DispatchQueue.concurrentPerform(iterations: 2) { note("perform-\($0)") }
    }
    group.enter()
    other.asyncAfter(wallDeadline: .now() + 1) {
      note("delayed")
      group.leave()
    }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { note("timer") }
    timer.schedule(deadline: .now() + 0.5, repeating: 0.5)
    timer.activate()
    let operations = OperationQueue()
    for name in ["operation-1", "operation-2"] {
      operations.addOperation {
        Thread.sleep(forTimeInterval: 1)
        note(name)
      }
    }
    operations.addBarrierBlock { note("operation-barrier") }
    let task = Task {
      sleepThread(.seconds(1))
      note("task")
    }
    await runMainRunLoop(note)
    await task.value
    await withCheckedContinuation { done in group.notify(queue: .main) { done.resume() } }
    note("group-notified")
    timer.cancel()
    await Simulation.current?.settle()
    let seconds = Date().timeIntervalSince(date)
    note("date-\(Int((seconds * 10).rounded()))")
  }

  /// Uses targets, suspension, a cancelled work item and both kinds of delays.
  private func useStatesOfQueues(_ note: @escaping @Sendable (String) -> Void) {
    let target = DispatchQueue(label: "target")
    let (first, second) = (
      DispatchQueue(label: "first", target: target),
      DispatchQueue(label: "second", attributes: .concurrent, target: target)
    )
    first.async { note("first") }
    second.async { note("second-1") }
    second.async { note("second-2") }
    let suspended = DispatchQueue(label: "suspended")
    suspended.suspend()
    suspended.async { note("was-suspended") }
    let cancelled = DispatchWorkItem { note("never") }
    cancelled.cancel()
    target.asyncAfter(deadline: .now() + 0.5, execute: cancelled)
    target.asyncAfter(deadline: .now() + 0.5) {
      suspended.resume()
      note("delayed-by-uptime")
    }
    DispatchQueue(label: "targets-main", target: .main).asyncAfter(deadline: .now() + 3) {
      note("targets-main")
    }
  }

  /// Sleeps with each call, and waits until deadlines.
  private func useTimedWaits(_ note: @escaping @Sendable (String) -> Void) {
    let signalled = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      sleep(1)
      note("sleep")
      signalled.signal()
      usleep(500_000)
      note("usleep")
      var half = timespec(tv_sec: 0, tv_nsec: 500_000_000)
      nanosleep(&half, nil)
      note("nanosleep")
      Thread.sleep(until: Date(timeIntervalSinceNow: 0.5))
      note("sleep-until")
    }
    DispatchQueue.global().async {
      note("semaphore-\(signalled.wait(timeout: .now() + 0.5))")
      note("semaphore-again-\(signalled.wait(wallTimeout: .now() + 1))")
      let group = DispatchGroup()
      group.enter()
      note("group-\(group.wait(timeout: .now() + 0.5))")
      group.leave()
    }
    DispatchQueue.global().async {
      _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in
        CFRunLoopStop(CFRunLoopGetCurrent())
      }
      CFRunLoopRun()
      note("stopped-run-loop")
    }
  }

  /// Waits without a deadline: for a work item, for a group, and for blocks and barriers on a queue.
  private func useWaits(_ note: @escaping @Sendable (String) -> Void) {
    let (group, read) = (DispatchGroup(), DispatchQueue(label: "read", attributes: .concurrent))
    nonisolated(unsafe) let item = DispatchWorkItem {
      Thread.sleep(forTimeInterval: 1)
      note("read-by-item")
    }
    read.async(group: group, execute: item)
    read.async(group: group) {
      Thread.sleep(forTimeInterval: 1)
      note("read-by-block")
    }
    DispatchQueue.global().async {
      item.wait()
      note("item-waited")
    }
    DispatchQueue.global().async {
      group.wait()
      note("group-waited")
    }
    DispatchQueue.global().async { read.sync(flags: .barrier) { note("sync-barrier") } }
    DispatchQueue.global().async { asyncAndWait(read.object) { note("async-and-wait") } }
    DispatchQueue.global().async {
      barrierAsyncAndWait(read.object) { note("barrier-async-and-wait") }
    }
  }

  /// Runs operations that depend on each other, and waits for one and for all.
  ///
  /// Each depends on the one before it: Foundation begins several that depend on one in the order of a set, which differs
  /// from run to run.
  private func useOperations(_ note: @escaping @Sendable (String) -> Void) {
    let queue = OperationQueue()
    let chain = (1...3).map { number in
      BlockOperation {
        Thread.sleep(forTimeInterval: 0.5)
        note("chain-\(number)")
      }
    }
    for (operation, next) in zip(chain, chain.dropFirst()) { next.addDependency(operation) }
    for operation in chain { queue.addOperation(operation) }
    DispatchQueue.global().async {
      chain[1].waitUntilFinished()
      note("chain-2-waited")
    }
    DispatchQueue.global().async {
      queue.waitUntilAllOperationsAreFinished()
      note("chain-waited")
    }
  }

  /// Waits for conditions in blocks.
  private func useConditions(_ note: @escaping @Sendable (String) -> Void) {
    let (condition, lock) = (NSCondition(), NSConditionLock(condition: 0))
    for number in 1...2 {
      DispatchQueue.global().async {
        condition.lock()
        condition.wait()
        condition.unlock()
        note("condition-\(number)")
      }
    }
    DispatchQueue.global().async {
      if lock.lock(whenCondition: 1, before: Date(timeIntervalSinceNow: 5)) { lock.unlock() }
      note("condition-lock")
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
      condition.lock()
      condition.broadcast()
      condition.unlock()
      if lock.lock(whenCondition: 0, before: Date(timeIntervalSinceNow: 5)) {
        lock.unlock(withCondition: 1)
      }
    }
  }

  /// Runs the main run loop, with a timer, until half a second after the first blocks have slept.
  @MainActor private func runMainRunLoop(_ note: @escaping @Sendable (String) -> Void) {
    let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in
      note("run-loop-timer")
    }
    DispatchQueue.main.async { note("main") }
    RunLoop.main.perform { note("performed") }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 1.5))
    timer.invalidate()
  }
#endif
