import Foundation
import Sleepless
import SleeplessSimulation
import Testing

/// Begins to track the tasks of tests, before the first test.
///
/// A task made in a Swift Testing test belongs to that test, known by a task-local value. XCTest runs
/// one test at a time, whose tasks begin on the main thread.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
enum TaskTracking {
  static func begin() {
    TestTasks.count {
      let isInTask = withUnsafeCurrentTask { $0 != nil }
      if isInTask { return Test.current.map { TestKey($0.id) } }
      guard Thread.isMainThread else { return nil }
      return XCTestProgress.shared.running.map { TestKey(ObjectIdentifier($0)) }
    }
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  @section(".init_array") @used
  private let beginAtLoad: @convention(c) () -> Void = { TaskTracking.begin() }
#endif
