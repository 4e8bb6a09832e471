import Sleepless
import SleeplessSimulation
import Testing

/// The usual way from a helper to the test framework.
///
/// A failure belongs to the test that made the helper, wherever and whenever it happens: in a detached
/// task, on a dispatch queue or a thread, while the test runs or after it has ended (F1). If that test
/// can no longer take it, the running test does, or it is printed and fails the process (F2). A failure
/// passes ``fail(_:at:)``, ``FailureDestination/init(of:in:)`` and ``FailureDestination/deliver(_:at:)``.
/// The functions of `Reporter+SourceLine.swift` and the traits go round these, because their lines are found
/// at run time and a `CallSite` holds only static strings.
///
/// Any thread may call it. ``fail(_:at:)`` returns when the failure has been recorded. Making one in
/// a Swift Testing test costs one small task, about 2 µs; elsewhere 0.15 µs.
package final class Reporter: Sendable {
  /// Where the helper was made.
  package let site: CallSite

  /// The test that made the helper.
  let test: TestContext
  /// The end of that test; nil if it is not known.
  // Unsafe because only `init` and the runtime write it. Weak because the end retains checks, checks
  // retain helpers, and helpers retain their reporters.
  private(set) nonisolated(unsafe) weak var endOfTest: EndOfTest?
  private let noteNumber = Locked<Int?>(nil)
  private let limit = Locked(FailureLimit())

  package init(at site: CallSite) {
    self.site = site
    FailedExit.prepare()
    XCTestProgress.prepare()
    test = .current()
    switch test {
    case .swiftTest: endOfTest = .current
    case .testCase(let test): endOfTest = .current ?? test.endOfTest
    case .outsideTests: endOfTest = nil
    }
  }

  deinit {
    for test in limit.withLock({ $0.tests }) { reportCount(in: test) }
    if let number = noteNumber.withLock({ $0 }) { RelatedNotes.shared.remove(number) }
  }

  // MARK: Failing

  /// Fails the test that made the helper, at `site` or, if nil, at the helper's own line.
  ///
  /// After ten failures it counts the rest (F4). It reports their number at the end of the test or, if
  /// the end is not known, when the helper is released. A failure that is held back does not count: without it, a
  /// further try of the same assertions would seem to hold.
  package func fail(_ message: String, at site: CallSite? = nil) {
    guard !HeldFailures.isHolding else {
      return deliver(withNotes(message), at: site ?? self.site)
    }
    let test = nameOfFailingTest
    switch limit.withLock({ $0.add(in: test) }) {
    case .reported: deliverWithinLimit(withNotes(message), at: site ?? self.site)
    case .counted(isFirst: true, _): reportCountAtEnd(of: test)
    case .counted(_, isLast: true): giveUpSimulation()
    case .counted: break
    }
  }

  /// Reports a failure, unless the helpers made at this line have failed ten times in the test: each call of an
  /// assertion is a helper of its own.
  ///
  /// Where failures of the test are not counted, as its end is not known, there is no such limit. A failure
  /// that `withKnownIssue` catches does not use it up.
  private func deliverWithinLimit(_ message: String, at site: CallSite) {
    guard let end = endOfTest, let limit = end.limit(ofLine: self.site) else {
      return deliver(message, at: site)
    }
    switch limit.withLock({ $0.add(in: "") }) {
    case .reported:
      let before = countedFailures
      deliver(message, at: site)
      if countedFailures == before { limit.withLock { $0.takeBack(in: "") } }
    case .counted(isFirst: true, _):
      end.add { [test, line = self.site] _ in
        let count = limit.withLock { $0.takeUnreported(in: "") }
        Self.deliver(FailureLimit.text(count, ofLine: true), of: test, at: line)
      }
    case .counted: break
    }
  }

  private var countedFailures: Int { test.testCase?.failureCount ?? endOfTest?.failureCount ?? 0 }

  private func giveUpSimulation() {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return }
    let count = FailureLimit.mostInSimulation
    Simulation.current?.giveUp(because: "the helper made at \(site) has failed \(count) times")
  }

  private func reportCountAtEnd(of test: String) {
    let end = endOfTest ?? .current ?? XCTestProgress.shared.running?.endOfTest
    // Not `[weak self]`: in `Reporter(at: site).fail(…)` the compiler would warn that the reference is always
    // nil. Such a reporter never fails eleven times.
    let reporter = Unmanaged.passUnretained(self).takeUnretainedValue()
    end?.add { [weak reporter] _ in reporter?.reportCount(in: test) }
  }

  /// Fails, and returns the error to throw. The framework does not report that error again when it ends
  /// the test.
  package func failure(_ message: String, at site: CallSite) -> any Error {
    fail(message, at: site)
    return reportedError
  }

  /// The error to throw after a failure: see ``failure(_:at:)``.
  package var reportedError: any Error {
    switch test {
    case .swiftTest: return ReportedFailure.error(inSwiftTesting: true)
    case .testCase: return ReportedFailure.error(inSwiftTesting: false)
    case .outsideTests: return ReportedFailure.error(inSwiftTesting: Test.current != nil)
    }
  }

  private func deliver(_ message: String, at site: CallSite) {
    Self.deliver(message, of: test, at: site)
  }

  private static func deliver(_ message: String, of test: TestContext, at site: CallSite) {
    // A test may end between the choice and the delivery. Then the loop chooses another destination.
    while !FailureDestination(of: test).deliver(message, at: site) {}
  }

  private func reportCount(in test: String) {
    let count = limit.withLock { $0.takeUnreported(in: test) }
    if count > 0 { deliver(FailureLimit.text(count), at: site) }
  }

  /// The test whose failures are counted together, for a helper that serves several tests.
  private var nameOfFailingTest: String {
    guard case .outsideTests = test else { return "" }
    return Test.current.map { "\($0.id)" } ?? XCTestProgress.shared.running?.name ?? ""
  }

  func withNotes(_ message: String) -> String {
    let number = noteNumber.withLock { $0 }
    return ([message] + RelatedNotes.shared.notes(of: test, except: number)).joined(separator: "\n")
  }

  /// Adds a note to the failures of other helpers of the same test, until the reporter is released. The
  /// closure must not retain the helper.
  package func explainOthers(_ note: @escaping @Sendable () -> String?) {
    let number = RelatedNotes.shared.add(of: test, note)
    noteNumber.withLock { $0 = number }
  }

  // MARK: Warning

  /// Records a warning in the test. In XCTest the warning is printed.
  package func warn(_ message: String, at site: CallSite? = nil) {
    let site = site ?? self.site
    if Test.current != nil {
      recordIssue(message, severity: .warning, at: SourceLocation(site))
    } else if case .swiftTest(let test) = test {
      let record: @Sendable () -> Void = {
        recordIssue(message, severity: .warning, at: SourceLocation(site))
      }
      if let relay = test.relay { relay.run(record) } else { record() }
    } else {
      print("\(site.filePath):\(site.line): warning: \(message)")
    }
  }
}
