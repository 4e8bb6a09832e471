import CRuntimeHooks
import Sleepless

/// Which test work belongs to, as the module that knows tests says.
package struct TestKey: Hashable, @unchecked Sendable {
  // Unchecked because what it holds was Sendable, which `AnyHashable` forgets.
  private let base: AnyHashable

  package init(_ base: some Hashable & Sendable) { self.base = AnyHashable(base) }
}

/// What a test has started outside every simulation; see `TestTaskExecutor`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct TestTasks: Sendable {
  private let work: TestTaskExecutor?
  var executor: TestTaskExecutor? { work }

  private struct Weak {
    weak var work: TestTaskExecutor?
  }

  private static let findTest = Locked<(@Sendable () -> TestKey?)?>(nil)
  private static let works = Locked<[TestKey: Weak]>([:])

  /// Begins to count what tests start. `findTest` names the test that the calling code belongs to;
  /// it is asked whenever a task is made outside every simulation, so it should be quick.
  ///
  /// Nothing is counted where the process is not captured.
  package static func count(forTestsFoundBy findTest: @escaping @Sendable () -> TestKey?) {
    guard CaptureKind.process != nil else { return }
    Self.findTest.withLock { $0 = findTest }
    sleepless_set_context_for_task {
      TestTasks.currentTest.map(TestTasks.retainedWorld)
    }
  }

  /// Whether it is counted at all.
  package static var isCounted: Bool { findTest.withLock { $0 != nil } }

  /// The test that the calling code belongs to.
  private static var currentTest: TestKey? { findTest.withLock { $0 }?() }

  /// What the calling code's test has started; nil if the code belongs to no test.
  package static var ofCurrentTest: TestTasks? {
    if let work = CapturingExecutor.current as? TestTaskExecutor { return TestTasks(work: work) }
    return currentTest.map { key in TestTasks(work: works.withLock { $0[key]?.work }) }
  }

  /// How much real time a test's work is given to come to rest.
  package struct Timeout: Sendable {
    package let whole: Duration
    /// The same if all that is left are tasks that sleep, each of them again and again; nil if that
    /// makes no difference. With a value a sleep that is longer than the whole is not waited for.
    package let withLoops: Duration?

    package init(_ whole: Duration, withLoops: Duration? = nil) {
      self.whole = whole
      self.withLoops = withLoops
    }
  }

  /// Returns when nothing of it runs or sleeps; false if that does not happen in time.
  package func settle(_ timeout: Timeout) async -> Bool { await work?.settle(timeout) ?? true }

  /// The same for synchronous code: on the main thread it serves the run loop meanwhile, so that the
  /// main actor can run.
  package func settleHere(_ timeout: Timeout) -> Bool { work?.settleHere(timeout) ?? true }

  /// The tasks that have not ended, in the order of their making.
  package var unfinishedTasks: [Simulation.TaskReport] { work?.unfinishedTasks ?? [] }

  private static func retainedWorld(of key: TestKey) -> UnsafePointer<sleepless_context> {
    let work = works.withLock { works in
      if let work = works[key]?.work { return work }
      works = works.filter { $0.value.work != nil }
      let work = TestTaskExecutor()
      works[key] = Weak(work: work)
      return work
    }
    _ = Unmanaged.passRetained(work)
    return UnsafePointer(work.context)
  }
}
