import Sleepless

/// Whose a double is: lets in the calls of the test that made it, and refuses all others.
///
/// One made outside every test, as in a stored property of an `XCTestCase`, belongs to the XCTest test
/// that first uses it: XCTest makes an instance for each test, but long before.
final class DoubleOwner: Sendable {
  private struct State: Sendable {
    var isOver = false
    var hasToldOfStranger = false
    var hasFailed = false
    /// The test that an orphan belongs to.
    var adopter: RunningTestCase?
    /// What it will do at its end.
    var checks: [@Sendable () -> Void] = []
  }

  /// The double's name in quotes, or where it was made.
  let name: String
  let reporter: Reporter
  private let failingCalls = FailingCalls()
  private let state = Locked(State())
  private let isOrphan: Bool

  init(_ name: String?, kind: String, at site: CallSite) {
    self.name = name.map { "\"\($0)\"" } ?? "the \(kind) made in \(site)"
    reporter = Reporter(at: site)
    if case .nobody = reporter.owner { isOrphan = true } else { isOrphan = false }
    atEndOfTest { [weak self] in self?.close() }
  }

  // MARK: The end of the test

  /// Has a check run at the end of the test, if something tells when that comes. It must not hold the
  /// double.
  func atEndOfTest(_ check: @escaping @Sendable () -> Void) {
    guard isOrphan else { return _ = reporter.atEndOfTest(check) }
    state.withLock { $0.checks.append(check) }
  }

  /// The same for what sees to its end itself unless it is an orphan.
  func atEndOfAdopter(_ check: @escaping @Sendable () -> Void) {
    if isOrphan { atEndOfTest(check) }
  }

  /// Notes that the test uses the double: an orphan is its own from now on.
  func noteUse() {
    guard isOrphan, let test = XCTestProgress.shared.running else { return }
    let checks = state.withLock { state -> [@Sendable () -> Void] in
      guard state.adopter == nil else { return [] }
      state.adopter = test
      return state.checks.map { $0 }
    }
    guard !checks.isEmpty else { return }
    test.endOfTest.add { _ in for check in checks { check() } }
  }

  private var otherTest: String? {
    guard isOrphan else { return reporter.otherTest }
    guard let adopter = state.withLock({ $0.adopter }) else { return nil }
    return XCTestProgress.shared.running.flatMap { $0 === adopter ? nil : $0.name }
  }

  /// The test is over: later calls are refused.
  func close() { state.withLock { $0.isOver = true } }

  /// Whether the double has failed: what is left over then is a consequence of it.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Tells of a call that comes from elsewhere, the first time, and returns what to throw; nil if the
  /// call is the test's own.
  func refusal(
    of arguments: @autoclosure () -> String?, _ history: @autoclosure () -> String
  ) -> (any Error)? {
    noteUse()
    let isOver = state.withLock { $0.isOver }
    let otherTest = otherTest
    guard isOver || otherTest != nil else { return nil }
    let isFirst = state.withLock { state in
      defer { state.hasToldOfStranger = true }
      return !state.hasToldOfStranger
    }
    // A loop that goes on after its test has been told of.
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

  /// Fails, and returns what to throw; at the double's own line if no other is given.
  func failure(_ text: String, at site: CallSite? = nil) -> any Error {
    fail(text, at: site)
    return reporter.reportedError
  }

  /// How an asynchronous call is to end that ended like this: after more than ten that have failed it
  /// waits for its cancellation.
  func endAsync<Value>(_ end: CallEnd<Value>) async -> CallEnd<Value> {
    guard case .reported = end, await failingCalls.holdBack(name) else { return end }
    return .cancelled
  }

  func fail(_ text: String, at site: CallSite? = nil) {
    state.withLock { $0.hasFailed = true }
    reporter.fail(text, at: site)
  }
}

/// The arguments of a call as they are shown; nil if there are none.
func argumentText(of arguments: Any) -> String? {
  arguments is Void ? nil : eventText(of: arguments)
}
