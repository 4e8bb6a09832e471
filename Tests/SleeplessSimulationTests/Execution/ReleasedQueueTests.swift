// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A queue to which nothing refers but its work does the work, and is deallocated then (S10).
@Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct ReleasedQueueTests {
  @Test(arguments: Work.allCases)
  fileprivate func `S10 a queue that is released with work does it, and is deallocated`(
    work: Work
  ) async throws {
    let deallocated = Event()
    let log = try await log { log in
      work.give(to: queue(work.attributes, telling: deallocated), log)
    }
    #expect(log == work.events)
    // libdispatch tells a queue's end later, on a queue of its own.
    await deallocated.wait()
  }

  @Test func `S10 a queue is deallocated while the simulation that used it goes on`() async throws {
    let deallocated = Event()
    let outcome = await Simulation.run {
      let log = QueueLog()
      Work.blocks.give(to: queue([], telling: deallocated), log)
      await Simulation.current!.settle()
      try await Simulation.current!.outside { await deallocated.wait() }
    }
    #expect(outcome.report.ending.name == "finished")
  }

  /// A queue that tells when it is deallocated.
  private func queue(
    _ attributes: DispatchQueue.Attributes, telling deallocated: Event
  ) -> DispatchQueue {
    let queue = DispatchQueue(label: "com.example.released", attributes: attributes)
    queue.setSpecific(
      key: DispatchSpecificKey<Probe>(), value: Probe { deallocated.happen() })
    return queue
  }
}

/// Work that nothing but its queue keeps.
private enum Work: CaseIterable {
  case blocks, barrier, sync, suspended, delayed, item, notification, timer

  var attributes: DispatchQueue.Attributes { self == .barrier ? .concurrent : [] }

  func give(to queue: DispatchQueue, _ log: QueueLog) {
    switch self {
    case .blocks:
      for number in 1...3 {
        queue.async {
          Thread.sleep(forTimeInterval: 1)
          log.write("\(number)")
        }
      }
    case .barrier:
      queue.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("read")
      }
      queue.async(flags: .barrier) { log.write("barrier") }
      queue.async { log.write("after") }
    case .sync:
      queue.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("async")
      }
      Task { queue.sync { log.write("sync") } }
    case .suspended:
      queue.suspend()
      for number in 1...2 { queue.async { log.write("\(number)") } }
      Task {
        try await Task.sleep(for: .seconds(2))
        queue.resume()
      }
    case .delayed: queue.asyncAfter(deadline: .now() + 2) { log.write("delayed") }
    case .item:
      let item = DispatchWorkItem { log.write("item") }
      item.notify(queue: queue) { log.write("notified") }
      queue.async(execute: item)
    case .notification:
      let group = DispatchGroup.entered
      group.notify(queue: queue) { log.write("notified") }
      Task {
        try await Task.sleep(for: .seconds(2))
        group.leave()
      }
    case .timer:
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler {
        log.write("event")
        timer.cancel()
      }
      timer.setCancelHandler { log.write("cancelled") }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
    }
  }

  var events: [String] {
    switch self {
    case .blocks: ["1 1", "2 2", "3 3"]
    case .barrier: ["1 read", "1 barrier", "1 after"]
    case .sync: ["1 async", "1 sync"]
    case .suspended: ["2 1", "2 2"]
    case .delayed: ["2 delayed"]
    case .item: ["0 item", "0 notified"]
    case .notification: ["2 notified"]
    case .timer: ["1 event", "1 cancelled"]
    }
  }
}
