import Dispatch
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

/// The queue, the thread and the tasks of a block show the quality of service that they show outside (S10).
///
/// On Linux neither the thread nor a task that the block begins shows what the queue or the call asks for.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct QualityOfServiceTests {
  @Test(arguments: Way.allCases)
  func `S10 a block shows the quality of service of its queue, its thread and its tasks as outside`(
    way: Way
  ) async throws {
    let outside = await way.shown()
    let outcome = await Simulation.run { await way.shown() }
    #expect(try outcome.result?.get() == outside)
  }

  @Test func `a block runs in a task of medium priority`() async throws {
    let queue = DispatchQueue(label: "com.example.urgent", qos: .userInitiated)
    let outcome = await Simulation.run {
      await withCheckedContinuation { done in
        queue.async { done.resume(returning: Task.currentPriority) }
      }
    }
    #expect(try outcome.result?.get() == .medium)
  }

  /// The ways to ask for a quality of service.
  enum Way: CaseIterable {
    case queue, target, globalQueue, block, enforcedBlock, item, group, notify

    private var queue: DispatchQueue {
      let urgent = DispatchQueue(label: "com.example.urgent", qos: .userInitiated)
      return switch self {
      case .queue: urgent
      case .target: DispatchQueue(label: "com.example.targeting", target: urgent)
      case .globalQueue: .global(qos: .background)
      default: DispatchQueue(label: "com.example.queue")
      }
    }

    private func submit(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
      let group = DispatchGroup()
      switch self {
      case .queue, .target, .globalQueue: queue.async(execute: block)
      case .block: queue.async(qos: .userInitiated, execute: block)
      case .enforcedBlock: queue.async(qos: .userInitiated, flags: .enforceQoS, execute: block)
      case .item: queue.async(execute: DispatchWorkItem(qos: .userInitiated, block: block))
      case .group: queue.async(group: group, qos: .userInitiated, execute: block)
      case .notify: group.notify(qos: .userInitiated, queue: queue, execute: block)
      }
    }

    /// What a block shows.
    func shown() async -> [String] {
      let queue = queue
      return await withCheckedContinuation { done in
        let block: @Sendable () -> Void = {
          let thread = Thread.current.qualityOfService
          Task {
            done.resume(returning: ["\(queue.qos)", "\(thread)", "\(Task.currentPriority)"])
          }
        }
        submit(block, to: queue)
      }
    }
  }
}
