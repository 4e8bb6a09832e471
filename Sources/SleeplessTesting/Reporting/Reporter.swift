import Foundation
import Sleepless
import SleeplessSimulation
import Testing

/// The single door from a helper to the test framework.
///
/// A failure belongs to the test that made the helper, wherever and whenever it comes: from a
/// detached task, a dispatch queue or a thread, while the test runs or after it ended (F1). One that
/// has no test left is given to the test that is running, or printed, and fails the process (F2).
///
/// Any thread may call it. ``fail(_:at:)`` returns when the failure has been recorded. Making one in
/// a Swift Testing test costs one small task, about 2 µs; elsewhere 0.15 µs.
///
/// A failure takes one route only. From Swift 6.4 on each framework hands what is not its own to the
/// other, so calling both would tell it twice there; calling the right one is right on 6.3 as well,
/// and needs no condition on the compiler.
package final class Reporter: Sendable {
  /// Where the helper was made.
  package let site: CallSite

  let owner: TestContext
  /// Where checks are kept for the end of the test, if anything knows when that comes.
  // Unsafe because nothing writes it but `init` and the runtime. Weak because it holds checks, which
  // hold helpers, which hold their reporters.
  private nonisolated(unsafe) weak var endOfTest: EndOfTest?
  let testCase = Test.Case.current
  private let noteNumber = Locked<Int?>(nil)
  private let limit = Locked(FailureLimit())

  package init(at site: CallSite) {
    self.site = site
    FailedExit.prepare()
    XCTestProgress.prepare()
    owner = .current()
    switch owner {
    case .swiftTest: endOfTest = .current
    case .testCase(let test): endOfTest = .current ?? test.endOfTest
    case .nobody: endOfTest = nil
    }
  }

  deinit {
    for test in limit.withLock({ $0.tests }) { tellCount(in: test) }
    if let number = noteNumber.withLock({ $0 }) { RelatedNotes.shared.remove(number) }
  }

  /// Fails the test that made the helper, at `site` or, if nil, at the helper's own line.
  ///
  /// After ten failures it counts the rest (F4), and tells their number at the end of the test or, if
  /// nothing knows when that comes, when the helper is released.
  package func fail(_ message: String, at site: CallSite? = nil) {
    let test = failingTest
    switch limit.withLock({ $0.add(in: test) }) {
    case .told: tell(withNotes(message), at: site ?? self.site)
    case .counted(isFirst: true):
      let end = endOfTest ?? .current ?? XCTestProgress.shared.running?.endOfTest
      end?.add { [weak self] _ in self?.tellCount(in: test) }
    case .counted: break
    }
  }

  /// Fails the XCTest test that made the helper at a line that is known only since the test runs; false if
  /// there is no such test.
  func failXCTest(_ message: String, at line: SourceLine) -> Bool {
    owner.testCase?.record(withNotes(message), inFile: line.path, line: line.number) ?? false
  }

  private func tellCount(in test: String) {
    let count = limit.withLock { $0.takeUntold(in: test) }
    if count > 0 { tell(FailureLimit.text(count), at: site) }
  }

  private func tell(_ message: String, at site: CallSite) {
    // A test may end between the decision and the deed; the next decision knows about it.
    while !take(FailureDestination(in: routingContext), message, at: site) {}
  }

  /// Which test the failure counts for, where the helper serves several.
  private var failingTest: String {
    guard case .nobody = owner else { return "" }
    return Test.current.map { "\($0.id)" } ?? XCTestProgress.shared.running?.name ?? ""
  }

  /// Tells the test of something that need not be wrong: as a warning where the framework has them,
  /// printed elsewhere.
  package func warn(_ message: String, at site: CallSite? = nil) {
    let site = site ?? self.site
    if Test.current != nil {
      recordIssue(message, severity: .warning, at: site)
    } else if case .swiftTest = owner {
      owner.deliver(message, severity: .warning, at: site)
    } else {
      print("\(site.filePath):\(site.line): warning: \(message)")
    }
  }

  /// Fails, and returns what to throw: an error that the framework does not report once more when
  /// it ends the test.
  package func failure(_ message: String, at site: CallSite) -> any Error {
    fail(message, at: site)
    return reportedError
  }

  /// What to throw when the failure has been told: see `failure`.
  package var reportedError: any Error {
    switch owner {
    case .swiftTest: return ReportedFailure.error(inSwiftTesting: true)
    case .testCase: return ReportedFailure.error(inSwiftTesting: false)
    case .nobody: return ReportedFailure.error(inSwiftTesting: Test.current != nil)
    }
  }

  /// Lets the helper explain the failures of other helpers of the same test, until the reporter is
  /// released. The note must not hold the helper.
  package func explainOthers(_ note: @escaping @Sendable () -> String?) {
    let number = RelatedNotes.shared.add(to: TestMembership(owner, testCase), note)
    noteNumber.withLock { $0 = number }
  }

  // MARK: The end of the test

  /// Has a check run at the end of the test that made the helper; false if nothing tells when that
  /// comes, or if it has passed. To be called when the helper is made. The check must not hold it.
  @discardableResult
  package func atEndOfTest(_ check: @escaping @Sendable () -> Void) -> Bool {
    endOfTest?.add { _ in check() } ?? false
  }

  /// The same for a check that has to wait: until the test's tasks have come to rest, and then for
  /// `settling`. The check learns who did not come to rest.
  @discardableResult
  package func atEndOfTest(
    settling: (@Sendable () async -> Void)? = nil,
    afterRest check: @escaping @Sendable (EndOfTest.Rest) -> Void
  ) -> Bool {
    endOfTest?.add(rest: .whole, settling: settling.map { .init($0) }, check) ?? false
  }

  /// The same for a check that more events may still change: as long as `mayGetMore`, what the test has
  /// started first comes to rest. The check must not hold the helper.
  @discardableResult
  func atEndOfTest(
    mayGetMore: @escaping @Sendable () -> Bool,
    afterLastEvents check: @escaping @Sendable () -> Void
  ) -> Bool {
    endOfTest?.add(rest: mayGetMore() ? .noMoreEvents : .none) { _ in check() } ?? false
  }

  /// Runs a check of a helper that is being released when what the test has started has come to rest;
  /// false if nothing tells of that. Until then the check may hold what it looks at.
  func afterLastEvents(_ check: @escaping @Sendable () -> Void) -> Bool {
    endOfTest?.addLate(check) ?? false
  }

  /// Fails because of what was left over at the end of the test, at `site` or the helper's line. If
  /// the test has failed before, by something else, this may follow from it, and is only remarked.
  package func tellLeftover(_ message: String, at site: CallSite? = nil) {
    switch owner {
    case .swiftTest:
      guard let endOfTest else { return fail(message, at: site) }
      guard !endOfTest.hasFailed else { return remark(message, at: site) }
      endOfTest.noteLeftover { fail(message, at: site) }
    case .testCase(let test):
      guard !test.hasFailed else { return remark(message, at: site) }
      test.noteLeftover { fail(message, at: site) }
    case .nobody: fail(message, at: site)
    }
  }

  /// How often XCTest has counted a failure of the test; zero in Swift Testing.
  var failureCount: Int { owner.testCase?.failureCount ?? 0 }

  private func remark(_ message: String, at site: CallSite?) {
    warn("\(message)\n\(Self.remark)", at: site)
  }

  static let remark = "The test had failed before; this may follow from it."

  private func withNotes(_ message: String) -> String {
    let number = noteNumber.withLock { $0 }
    let notes = RelatedNotes.shared.notes(of: TestMembership(owner, testCase), except: number)
    return ([message] + notes).joined(separator: "\n")
  }

  private var routingContext: RoutingContext {
    var routingContext = RoutingContext(owner: owner.testState)
    if let test = Test.current {
      routingContext.currentSwiftTest = test.id == owner.swiftTestID ? .owner : .other
    }
    routingContext.isTestCaseRunning = XCTestProgress.shared.running?.isRunning ?? false
    routingContext.host = .current
    routingContext.isExiting = FailedExit.isExiting
    return routingContext
  }

  /// Reports the failure; false when the test it was meant for has just ended.
  private func take(_ route: FailureDestination, _ message: String, at site: CallSite) -> Bool {
    switch route {
    case .issue:
      recordIssue(message, at: site)
    case .relay:
      owner.deliver(message, at: site)
    case .owningTestCase:
      return owner.testCase?.record(message, at: site) ?? false
    case .runningTestCase:
      return XCTestProgress.shared.running?.record(explained(message), at: site) ?? false
    case .printed:
      printFailure(message, of: owner.testCase?.name, at: site)
      FailedExit.require()
    }
    return true
  }

  /// The message, and whose it is when it has to be told by another test.
  private func explained(_ message: String) -> String {
    owner.testCase.map { "made in \($0.name), which has ended: \(message)" } ?? message
  }
}

extension RoutingContext.Host {
  /// Read from what XCTest has done so far and from how SwiftPM starts Swift Testing's runner.
  fileprivate static var current: Self {
    if XCTestProgress.shared.hasStarted { return .xctest }
    let arguments = CommandLine.arguments
    let option = arguments.firstIndex(of: "--testing-library")
    if let option, arguments[(option + 1)...].first == "swift-testing" { return .swiftTesting }
    return arguments.contains("--testing-library=swift-testing") ? .swiftTesting : .none
  }
}

/// Prints a failure the way XCTest would: on its stream in its process, else on standard error.
private func printFailure(_ message: String, of test: String?, at site: CallSite) {
  let place = "\(site.filePath):\(site.line): error: "
  if XCTestProgress.shared.hasStarted {
    print(place + "\(test ?? "(outside every test)") : \(message)")
    fflush(nil)
  } else {
    FileHandle.standardError.write(Data("\(place)\(message)\n".utf8))
  }
}
