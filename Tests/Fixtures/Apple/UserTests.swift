// What users on Apple's systems write. `.ci/apple` type-checks it for macOS 13, iOS 16 and watchOS 9, the
// oldest systems that the package supports. Nothing runs it.

import Combine
import Dispatch
import Foundation
import SleeplessTesting
import Testing
import XCTest

// MARK: Queues that are Combine's schedulers as well

private func deadlineOfCombine(on queue: DispatchQueue) -> DispatchQueue.SchedulerTimeType {
  let start = queue.now
  return start.advanced(by: .milliseconds(300))
}

private func deadlineOfCombine(on queue: OperationQueue) -> OperationQueue.SchedulerTimeType {
  let start = queue.now
  return start.advanced(by: .seconds(1))
}

private func elapsed(on queue: DispatchQueue, since start: Duration) -> Duration {
  queue.now - start
}

private func elapsed(on scheduler: some SchedulerType, since start: Duration) -> Duration {
  let now = scheduler.now
  return now - start
}

// MARK: Swift Testing

@Suite(.checkedAtEnd) struct TestsOfASwiftTestingUser {
  @Test(.simulated) func `a trait needs no availability of the test`() async {}

  @Test(.simulated(time: .manual, order: .shuffled(seed: 1), allowing: .sleepingTasks))
  func `neither do its options`() async {}

  @Test(.explored) func `nor those of an exploration`() async {}

  @Test(.explored(schedules: 10, strategy: .exhaustive)) func `with options`() async {}

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test(.simulated) func `what needs a newer system says so`() async { await settle() }
}

@Suite(.simulated) struct SimulatedTestsOfAUser {
  @Test func `a suite has the trait`() async {}
}

// MARK: XCTest

final class TestsOfAnXCTestUser: SimulatedTestCase {
  override var simulationSettings: SimulationSettings { SimulationSettings(stepLimit: 100) }

  func testACaseCanBeDerived() {}
}

final class ExploredTestsOfAnXCTestUser: ExploredTestCase {
  override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 100) }
  override var simulationSettings: SimulationSettings { SimulationSettings(stepLimit: 100) }

  func testAnExploredCaseCanBeDerived() {}
}

// MARK: An app

private final class Counter: Sendable {
  let queue: any DispatchQueueType
  init(queue: any DispatchQueueType = DispatchQueue.main) { self.queue = queue }
  func countLater(_ count: @escaping @Sendable () -> Void) { queue.async { count() } }
}

private func debounced(_ events: PassthroughSubject<Int, Never>, on scheduler: TestScheduler) {
  events.receiveOnNothing(scheduler.combine())
}

extension Combine.Publisher {
  fileprivate func receiveOnNothing(_ scheduler: some Combine.Scheduler) {}
}
