import Sleepless

/// The test that a double belongs to: accepts that test's calls and refuses all others.
///
/// A double made outside every test, as in a stored property of an `XCTestCase`, belongs to the XCTest
/// test that first uses it: XCTest makes an instance for each test, but long before the test runs.
final class DoubleOwner: Sendable {
  private struct State: Sendable {
    var isOver = false
    var hasReportedOtherTest = false
    var hasFailed = false
    /// The test that first used a double that was made outside every test.
    var firstUser: RunningTestCase?
    /// The checks at the end of that test.
    var checks: [@Sendable () -> Void] = []
  }

  /// The double's name in quotes, or where it was made.
  let name: String
  let reporter: Reporter
  private let failingCalls = FailingCalls()
  private let state = Locked(State())
  private let isOutsideTests: Bool

  init(_ name: String?, kind: String, at site: CallSite) {
    self.name = name.map { "\"\($0)\"" } ?? "the \(kind) made in \(site)"
    reporter = Reporter(at: site)
    if case .outsideTests = reporter.test { isOutsideTests = true } else { isOutsideTests = false }
    atEndOfTest { [weak self] in self?.close() }
  }

  // MARK: The end of the test

  /// Runs a check at the end of the test, if that end is known, when the test's tasks have come to rest:
  /// until then they may call the double. The check must not retain the double.
  func atEndOfTest(_ check: @escaping @Sendable () -> Void) {
    guard isOutsideTests else { return _ = reporter.atEndOfTest(afterLastChange: check) }
    state.withLock { $0.checks.append(check) }
  }

  /// Does the same, but only for a double that was made outside every test. Other doubles register with
  /// their reporters.
  func atEndOfFirstUser(_ check: @escaping @Sendable () -> Void) {
    if isOutsideTests { atEndOfTest(check) }
  }

  /// Notes that a test uses the double. A double made outside every test belongs to that test from now
  /// on.
  func noteUse() {
    guard isOutsideTests, let test = XCTestProgress.shared.running else { return }
    let checks = state.withLock { state -> [@Sendable () -> Void] in
      guard state.firstUser == nil else { return [] }
      state.firstUser = test
      return state.checks.map { $0 }
    }
    guard !checks.isEmpty else { return }
    test.endOfTest.add(rest: .noMoreEvents) { _ in for check in checks { check() } }
  }

  private var otherTest: String? {
    guard isOutsideTests else { return reporter.otherTest }
    guard let firstUser = state.withLock({ $0.firstUser }) else { return nil }
    return XCTestProgress.shared.running.flatMap { $0 === firstUser ? nil : $0.name }
  }

  /// Refuses later calls, because the test is over.
  func close() { state.withLock { $0.isOver = true } }

  /// Whether the double has failed. Leftovers are then a consequence of that failure.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Accepts a call of the double's own test and returns nil. For any other call returns the error to
  /// throw, and fails at the first one.
  func refusal(
    of arguments: @autoclosure () -> String?, _ history: @autoclosure () -> String
  ) -> (any Error)? {
    noteUse()
    let isOver = state.withLock { $0.isOver }
    let otherTest = otherTest
    guard isOver || otherTest != nil else { return nil }
    let isFirst = state.withLock { state in
      defer { state.hasReportedOtherTest = true }
      return !state.hasReportedOtherTest
    }
    // A loop that calls after the end of its test is reported once.
    guard isFirst, !failingCalls.areTooMany else { return reporter.reportedError }
    let arguments = arguments().map { ", with \($0)" } ?? ""
    if let otherTest {
      return failure(
        """
        \(name) was called by another test, \(otherTest)\(arguments).
        \(history())
        It belongs to the test that made it, in \(reporter.site). Make doubles in each test: a \
        static or shared one carries calls and answers from one test into the next.
        """)
    }
    return failure(
      """
      \(name) was called after its test had ended\(arguments).
      \(history())
      Something that the test started still runs. Let the test wait for it, or stop it.
      """)
  }

  // MARK: Failing

  /// Fails at `site` or at the double's own line, and returns the error to throw.
  func failure(_ text: String, at site: CallSite? = nil) -> any Error {
    fail(text, at: site)
    return reporter.reportedError
  }

  /// The end for an asynchronous call. When more than ten calls have failed, the next one waits until it
  /// is cancelled.
  func endAsync<Value>(_ end: CallEnd<Value>) async -> CallEnd<Value> {
    guard case .reported = end, await failingCalls.holdBack(name) else { return end }
    return .cancelled
  }

  func fail(_ text: String, at site: CallSite? = nil) {
    state.withLock { $0.hasFailed = true }
    reporter.fail(text, at: site)
  }
}

/// The arguments of a call as text; nil if there are none.
func argumentText(of arguments: Any) -> String? {
  arguments is Void ? nil : eventText(of: arguments)
}
