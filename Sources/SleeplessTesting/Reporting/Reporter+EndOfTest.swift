import Sleepless

extension Reporter {
  /// Runs a check at the end of the test that made the helper; false if that end is not known, or if it
  /// has passed. Call it when the helper is made. The check must not retain the helper.
  @discardableResult
  package func atEndOfTest(_ check: @escaping @Sendable () -> Void) -> Bool {
    endOfTest?.add { _ in check() } ?? false
  }

  /// Does the same for a check that waits first: until the test's tasks have come to rest, and then for
  /// `settling`. The check learns which tasks did not come to rest.
  @discardableResult
  package func atEndOfTest(
    settling: (@Sendable () async -> Void)? = nil,
    afterRest check: @escaping @Sendable (EndOfTest.Rest) -> Void
  ) -> Bool {
    endOfTest?.add(rest: .whole, settling: settling.map { .init($0) }, check) ?? false
  }

  /// Does the same for a check whose result depends on what the test's tasks still do. If `mayChange` is
  /// true at the end, these tasks come to rest before the check. The check must not retain the helper.
  @discardableResult
  func atEndOfTest(
    mayChange: @escaping @Sendable () -> Bool = { true },
    afterLastChange check: @escaping @Sendable () -> Void
  ) -> Bool {
    endOfTest?.add(rest: mayChange() ? .noMoreEvents : .none) { _ in check() } ?? false
  }

  /// Runs the check of a helper that is being released, when the test's tasks have come to rest; false if
  /// the end of the test is not known. Until then the check may retain the helper's state.
  func afterLastEvents(_ check: @escaping @Sendable () -> Void) -> Bool {
    endOfTest?.addLate(check) ?? false
  }

  /// Fails because of a leftover at the end of the test, at `site` or the helper's line. If the test has
  /// failed before for another reason, the leftover may follow from it, and is only a remark. In a test that
  /// has skipped itself it is nothing, because the test has not run to its end.
  package func tellLeftover(_ message: String, at site: CallSite? = nil) {
    switch test {
    case .swiftTest:
      guard let endOfTest else { return fail(message, at: site) }
      guard !endOfTest.isSkipped else { return }
      guard !endOfTest.hasFailed else { return remark(message, at: site) }
      endOfTest.noteLeftover { fail(message, at: site) }
    case .testCase(let test):
      guard !test.isSkipped else { return }
      guard !test.hasFailed else { return remark(message, at: site) }
      test.noteUnrelated { fail(message, at: site) }
    case .outsideTests: fail(message, at: site)
    }
  }

  /// Whether the test is known to have failed by something other than a leftover.
  var hasTestFailed: Bool { endOfTest?.hasFailed ?? false || test.testCase?.hasFailed ?? false }

  /// How often XCTest has counted a failure of the test; zero in Swift Testing.
  var failureCount: Int { test.testCase?.failureCount ?? 0 }

  private func remark(_ message: String, at site: CallSite?) {
    warn("\(message)\n\(Self.remark)", at: site)
  }

  package static let remark = "The test had failed before; this may follow from it."
}
