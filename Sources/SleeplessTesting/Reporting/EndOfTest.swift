import Sleepless

/// What is to be checked when a test ends: by whatever knows that it does.
///
/// In XCTest every test has one; it is checked after the test and its teardown blocks, before
/// `tearDown()`, while failures still count. In Swift Testing a trait may bind one to
/// ``current``. Without either, a helper's release is the end of its test.
package final class EndOfTest: Sendable {
  /// The end of the Swift Testing test that runs in this task, if anything knows when it comes.
  @TaskLocal package static var current: EndOfTest?

  private let checks = Locked<[@Sendable () -> Void]?>([])

  package init() {}

  /// Keeps a check for the end; false if that has passed.
  @discardableResult
  package func add(_ check: @escaping @Sendable () -> Void) -> Bool {
    checks.withLock { checks in
      checks?.append(check)
      return checks != nil
    }
  }

  /// Runs the checks in the order in which they were added. Later ones are refused.
  package func checkAll() {
    for check in checks.withLock({ $0.take() }) ?? [] { check() }
  }
}
