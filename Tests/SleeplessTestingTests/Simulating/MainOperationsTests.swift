// virtual time: everything here runs in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import Dispatch
  import Foundation
  import SleeplessSimulation
  import SleeplessTesting
  import TestSupport
  import Testing
  import XCTest

  /// The main operation queue of a simulation on the main thread.
  final class MainOperationsTests: SimulatedTestCase {
    override func setUpWithError() throws {
      for need in [Need.queues, .operations] { try need.orSkip() }
    }

    func testTheCurrentQueueOfAMainOperationIsTheMainOne() {
      let seen = Log<[Bool]>()
      OperationQueue.main.addOperation { seen.append(lookAtOperationQueues()) }
      settle()
      XCTAssertEqual(seen.values, [[true, true, true]])
    }

    func testTheCurrentQueueOfATestIsTheMainOne() {
      XCTAssert(OperationQueue.current === OperationQueue.main)
    }
  }

  /// The current operation queue under Swift Testing, where the main actor has no thread of its own.
  @Suite(.needs(.operations)) struct CurrentMainOperationsTests {
    @Test func `the current queue of a main operation is the main one`() async throws {
      let outcome = await Simulation.run { () -> [Bool] in
        await withCheckedContinuation { done in
          OperationQueue.main.addOperation { done.resume(returning: lookAtOperationQueues()) }
        }
      }
      let seen = try outcome.result?.get()
      #expect(seen == [Thread.isMainThread, true, true])
    }
  }

  /// Whether this is the main thread; whether the current operation queue is the main one; whether its underlying queue
  /// has the main queue's label.
  private func lookAtOperationQueues() -> [Bool] {
    [
      Thread.isMainThread, OperationQueue.current === OperationQueue.main,
      OperationQueue.current?.underlyingQueue?.label == DispatchQueue.main.label,
    ]
  }
#endif
