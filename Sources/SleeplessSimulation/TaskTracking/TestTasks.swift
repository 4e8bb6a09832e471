import CRuntimeHooks
import Sleepless

/// Identifies the test that a task belongs to. The module that knows test frameworks makes it.
package struct TestKey: Hashable, @unchecked Sendable {
  // Unchecked because the base was Sendable, which `AnyHashable` does not say.
  private let base: AnyHashable

  package init(_ base: some Hashable & Sendable) { self.base = AnyHashable(base) }
}

/// The tasks that a test has started outside simulations; see `TestTaskExecutor`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct TestTasks: Sendable {
  let executor: TestTaskExecutor?

  private struct Weak {
    weak var executor: TestTaskExecutor?
  }

  private static let findTest = Locked<(@Sendable () -> TestKey?)?>(nil)
  private static let executors = Locked<[TestKey: Weak]>([:])

  /// Begins to track the tasks of tests. `findTest` returns the test that the calling code belongs to. It is
  /// called whenever a task is created outside simulations, so it should be fast.
  ///
  /// Nothing is tracked if the process is not captured.
  package static func count(forTestsFoundBy findTest: @escaping @Sendable () -> TestKey?) {
    guard CaptureKind.process != nil else { return }
    Self.findTest.withLock { $0 = findTest }
    sleepless_set_context_for_task {
      TestTasks.currentTest.map(TestTasks.retainedContext)
    }
  }

  /// Whether tasks are tracked.
  package static var isCounted: Bool { findTest.withLock { $0 != nil } }

  /// The test that the calling code belongs to.
  private static var currentTest: TestKey? { findTest.withLock { $0 }?() }

  /// The tasks of the calling code's test; nil if the code belongs to no test.
  package static var ofCurrentTest: TestTasks? {
    if let executor = CapturingExecutor.current as? TestTaskExecutor {
      return TestTasks(executor: executor)
    }
    return currentTest.map { key in
      TestTasks(executor: executors.withLock { $0[key]?.executor })
    }
  }

  /// How much real time a test's tasks have to come to rest.
  package struct Timeout: Sendable {
    package let whole: Duration
    /// The time if only loops are left: tasks that fall asleep again and again. Nil if loops are waited for as
    /// long as other tasks. With a value, sleeps that end after the whole time are not waited for.
    package let withLoops: Duration?
    /// Whether no sleep is waited for, however short it is.
    let ignoresSleeps: Bool

    package init(_ whole: Duration, withLoops: Duration? = nil, ignoresSleeps: Bool = false) {
      self.whole = whole
      self.withLoops = withLoops
      self.ignoresSleeps = ignoresSleeps
    }
  }

  /// Whether the calling task is followed, with the tasks of a test or of a simulation.
  package static var followsCurrentTask: Bool { CapturingExecutor.current != nil }

  /// Returns when no task runs, even if some sleep; false if that does not happen in time. Goes on if the calling
  /// task is cancelled.
  package func settleAtThisInstant(
    _ timeout: Duration, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    await executor?.settleAtThisInstant(timeout, isolation: isolation) ?? true
  }

  /// Returns when no task runs or sleeps; false if that does not happen in time, or if the calling task is
  /// cancelled.
  package func settle(_ timeout: Timeout) async -> Bool { await executor?.settle(timeout) ?? true }

  /// The same for synchronous code. On the main thread it runs the run loop meanwhile, so that the main
  /// actor's jobs can run.
  package func settleHere(_ timeout: Timeout) -> Bool { executor?.settleHere(timeout) ?? true }

  /// The tasks that have not ended, in the order of creation.
  package var unfinishedTasks: [Simulation.TaskReport] { executor?.unfinishedTasks ?? [] }

  private static func retainedContext(of key: TestKey) -> UnsafePointer<sleepless_context> {
    let executor = executors.withLock { executors in
      if let executor = executors[key]?.executor { return executor }
      executors = executors.filter { $0.value.executor != nil }
      let executor = TestTaskExecutor()
      executors[key] = Weak(executor: executor)
      return executor
    }
    _ = Unmanaged.passRetained(executor)
    return UnsafePointer(executor.context)
  }
}
