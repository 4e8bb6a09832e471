// virtual time: all sleeps are in simulations
#if os(Linux)
  import Dispatch
  import Foundation
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// C's `dispatch_async_and_wait` and `dispatch_barrier_async_and_wait`, which Swift on Linux does not show (S10).
  @Suite(.needs(.queues), .timeLimit(.minutes(10))) struct AsyncAndWaitTests {
    @Test func `S10 it waits for the blocks before it, and those after it wait for it`()
      async throws
    {
      let queue = DispatchQueue(label: "com.example.serial")
      let events = try await log { log in
        queue.async {
          Thread.sleep(forTimeInterval: 10)
          log.write("first")
        }
        queue.async { log.write("second") }
        Task {
          try await Task.sleep(for: .seconds(5))
          queue.async { log.write("last") }
        }
        asyncAndWait(queue.object) {
          dispatchPrecondition(condition: .onQueue(queue))
          Thread.sleep(forTimeInterval: 1)
          log.write("waited for")
        }
        log.write("body")
      }
      #expect(events.prefix(3) == ["10 first", "10 second", "11 waited for"])
      #expect(Set(events.suffix(2)) == ["11 body", "11 last"])
      #expect(events.count == 5)
    }

    @Test func `S10 a barrier waits for the readers before it`() async throws {
      let queue = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
      let events = try await log { log in
        for seconds in [3, 7] {
          queue.async {
            Thread.sleep(forTimeInterval: Double(seconds))
            log.write("reader")
          }
        }
        barrierAsyncAndWait(queue.object) {
          dispatchPrecondition(condition: .onQueueAsBarrier(queue))
          log.write("barrier")
        }
      }
      #expect(events == ["3 reader", "7 reader", "7 barrier"])
    }

    @Test func `S10 a block of another queue waits, and the blocks after that block wait for it`()
      async throws
    {
      let queue = DispatchQueue(label: "com.example.serial")
      let other = DispatchQueue(label: "com.example.other")
      let events = try await log { log in
        queue.async {
          Thread.sleep(forTimeInterval: 10)
          log.write("first")
        }
        other.async {
          asyncAndWait(queue.object) {
            dispatchPrecondition(condition: .onQueue(queue))
            Thread.sleep(forTimeInterval: 1)
            log.write("waited for")
          }
          log.write("block")
        }
        other.async { log.write("after the block") }
        queue.async { log.write("second") }
      }
      #expect(
        events == ["10 first", "10 second", "11 waited for", "11 block", "11 after the block"])
    }

    @Test(arguments: [false, true])
    func `S10 a cancelled item does not run, and is waited for until its turn`(
      isInBlock: Bool
    ) async throws {
      let queue = DispatchQueue(label: "com.example.serial")
      let events = try await log { log in
        nonisolated(unsafe) let cancelled = makeItem { log.write("cancelled") }
        nonisolated(unsafe) let item = makeItem { log.write("item") }
        cancel(cancelled)
        queue.async {
          Thread.sleep(forTimeInterval: 1)
          log.write("before")
        }
        await Task.yield()
        let run: @Sendable () -> Void = {
          asyncAndWait(queue.object, cancelled)
          log.write("not run")
          asyncAndWait(queue.object, item)
          log.write("run")
        }
        if isInBlock { DispatchQueue.global().async(execute: run) } else { run() }
      }
      #expect(events == ["1 before", "1 not run", "1 item", "1 run"])
    }

    @Test(arguments: [false, true])
    func `S10 an item that is cancelled while it is waited for does not run`(
      isBarrier: Bool
    ) async throws {
      let queue = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
      let events = try await log { log in
        nonisolated(unsafe) let item = makeItem(isBarrier: isBarrier) { log.write("item") }
        queue.async(flags: .barrier) {
          Thread.sleep(forTimeInterval: 3)
          log.write("before")
        }
        Task {
          try await Task.sleep(for: .seconds(1))
          cancel(item)
          log.write("cancels")
        }
        await Task.yield()
        asyncAndWait(queue.object, item)
        log.write("waited")
      }
      #expect(events == ["1 cancels", "3 before", "3 waited"])
    }

    @Test func `S10 on the main queue it runs on the main actor`() async throws {
      let events = try await log { log in
        DispatchQueue.main.async { log.write("before") }
        asyncAndWait(DispatchQueue.main.object) {
          MainActor.assumeIsolated { log.write("main") }
        }
      }
      #expect(events == ["0 before", "0 main"])
    }

    @Test func `S10 within a block of its queue it is a deadlock`() async {
      let queue = DispatchQueue(label: "com.example.serial")
      let outcome = await Simulation.run {
        queue.sync { asyncAndWait(queue.object) {} }
      }
      #expect(outcome.report.ending.name == "deadlock")
      #expect(
        outcome.report.body?.text
          == "0 waiting for the queue com.example.serial since 0.0 seconds")
    }

    @Test func `on a workloop, which simulations do not follow, it is Dispatch's`() async {
      let events = Log<String>()
      let outcome = await Simulation.run {
        let workloop = makeWorkloop("com.example.workloop")
        asyncAndWait(workloop) { events.append("block") }
        barrierAsyncAndWait(workloop) { events.append("barrier") }
      }
      #expect(outcome.report.ending.name == "finished")
      #expect(events.values == ["block", "barrier"])
    }

    @Test func `outside simulations it is Dispatch's`() {
      let queue = DispatchQueue(label: "com.example.serial")
      let events = Log<Int>()
      queue.async { events.append(1) }
      asyncAndWait(queue.object) { events.append(2) }
      barrierAsyncAndWait(queue.object) { events.append(3) }
      #expect(events.values == [1, 2, 3])
    }
  }

  @_silgen_name("dispatch_workloop_create")
  private func makeWorkloop(_ label: UnsafePointer<CChar>) -> OpaquePointer
#endif
