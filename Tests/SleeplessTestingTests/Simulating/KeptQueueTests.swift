// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

/// Simulations that begin on a queue, whose block keeps the queue until they end, and code outside that keeps a queue.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct KeptQueueTests {
  private let queue = DispatchQueue(label: "com.example.kept")

  @Test(.needs(.clocks)) func `a simulation whose caller keeps a queue runs on the other queues`()
    async
  {
    let log = TimedLog()
    let failures = await failures {
      await simulate(keeping: queue) {
        let other = DispatchQueue(label: "com.example.other")
        other.asyncAfter(deadline: .now() + 3) { log.note("block") }
        DispatchQueue.main.asyncAfter(deadline: .now() + 4) { log.note("block of the main queue") }
        await settle()
      }
    }
    #expect(failures == [])
    #expect(log.values == ["block at 3.0 seconds", "block of the main queue at 4.0 seconds"])
  }

  @Test(.needs(.clocks), arguments: Use.allCases)
  func `a simulation that needs the queue that its caller keeps fails as blocked`(
    use: Use
  ) async {
    let hasRun = Event()
    let failures = await failures {
      // real time: with 100 ms a loaded machine gave up simulations that were not blocked
      await simulate(keeping: queue, timeout: .seconds(1)) { [queue] in
        use.give(queue) { hasRun.happen() }
        try await Task.sleep(for: .seconds(10))
      }
    }
    #expect(
      failures.map(\.withoutFunctions.text) == [
        """
        A job of the simulation has kept its thread for 1 s of real time (virtual time: \(use.time)):
        \(use.tasks)
        This is usually a lock or another synchronous call that waits for something that only another job can do, or \
        an endless loop. The simulation was given up; the thread is still held. Await instead of blocking. If the call \
        waits for code outside the simulation, run it in Simulation.outside { ... }.
        """
      ])
    // The queue is free again, and the block is not lost.
    await hasRun.wait()
  }

  @Test func `readers of a concurrent queue that the caller reads are not held up`() async {
    let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = TimedLog()
    let failures = await failures {
      await simulate(keeping: concurrent) {
        concurrent.async {
          Thread.sleep(forTimeInterval: 1)
          log.note("block")
        }
        read(concurrent) { log.note("sync") }
        await settle()
      }
    }
    #expect(failures == [])
    #expect(log.values == ["sync at 0.0 seconds", "block at 1.0 seconds"])
  }

  @Test func `a simulation waits in real time for a queue that code outside keeps`() async {
    let log = Log<String>()
    let (isKept, mayEnd) = (Event(), ThreadSignal())
    Thread.detachNewThread { [queue] in
      queue.sync {
        isKept.happen()
        mayEnd.wait()
        log.append("outside")
      }
    }
    await isKept.wait()
    let failures = await failures {
      try? await simulate {
        Task {
          try await Task.sleep(for: .seconds(1))
          log.append("task at \(Simulation.current!.now)")
        }
        queue.async { log.append("block at \(Simulation.current!.now)") }
        mayEnd.send()
        await settle()
      }
    }
    #expect(failures == [])
    #expect(log.values == ["outside", "block at 0.0 seconds", "task at 1.0 seconds"])
  }

  /// A way of a simulation's code to give a block to the queue that its caller keeps.
  enum Use: CaseIterable {
    case async, delayed, sync, barrier, targeting, group

    func give(_ queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
      switch self {
      case .async: queue.async { block() }
      case .delayed: queue.asyncAfter(deadline: .now() + 5) { block() }
      case .sync: queue.sync { block() }
      case .barrier: queue.async(flags: .barrier) { block() }
      case .targeting:
        DispatchQueue(label: "com.example.targeting", target: queue).async { block() }
      case .group: DispatchGroup().notify(queue: queue) { block() }
      }
    }

    /// When the block is to run.
    var time: String { self == .delayed ? "5 s" : "0 s" }

    /// The tasks that the failure lists.
    var tasks: String {
      guard self != .sync else { return "  the body: running since 0 s" }
      return """
          the body: asleep until 10 s since 0 s
          task 1 "queue com.example.\(self == .targeting ? "targeting" : "kept")": running since \(time)
        """
    }
  }
}

/// Runs a simulation while a synchronous caller waits for it in a block of a queue.
private func simulate(
  keeping queue: DispatchQueue, timeout: Duration? = nil,
  _ body: @escaping @Sendable () async throws -> Void
) async {
  await onOwnThread {
    keep(queue) { hasEnded in
      Task {
        await HangTimeout.$shortened.withValue(timeout) { try? await simulate(body) }
        hasEnded.send()
      }
    }
  }
}

// These are synchronous because asynchronous code must not call what they call.

private func keep(_ queue: DispatchQueue, during begin: (ThreadSignal) -> Void) {
  queue.sync {
    let hasEnded = ThreadSignal()
    begin(hasEnded)
    hasEnded.wait()
  }
}

private func read(_ queue: DispatchQueue, _ block: () -> Void) { queue.sync(execute: block) }
