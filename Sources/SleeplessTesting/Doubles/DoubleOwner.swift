import Sleepless

/// Whose a double is: lets in the calls of the test that made it, and refuses all others.
final class DoubleOwner: Sendable {
  private struct State: Sendable {
    var isOver = false
    var hasToldOfStranger = false
    var hasFailed = false
  }

  /// The double's name in quotes, or where it was made.
  let name: String
  let reporter: Reporter
  private let state = Locked(State())

  init(_ name: String?, kind: String, at site: CallSite) {
    self.name = name.map { "\"\($0)\"" } ?? "the \(kind) made in \(site)"
    reporter = Reporter(at: site)
    reporter.atEndOfTest { [weak self] in self?.close() }
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
    let isOver = state.withLock { $0.isOver }
    let otherTest = reporter.otherTest
    guard isOver || otherTest != nil else { return nil }
    let isFirst = state.withLock { state in
      defer { state.hasToldOfStranger = true }
      return !state.hasToldOfStranger
    }
    guard isFirst else { return reporter.reportedError }
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

  func fail(_ text: String, at site: CallSite? = nil) {
    state.withLock { $0.hasFailed = true }
    reporter.fail(text, at: site)
  }
}

/// The arguments of a call as they are shown; nil if there are none.
func argumentText(of arguments: Any) -> String? {
  arguments is Void ? nil : eventText(of: arguments)
}
