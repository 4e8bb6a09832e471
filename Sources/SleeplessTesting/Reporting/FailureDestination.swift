import Foundation
import Sleepless
import Testing

/// The one place that a failure goes to, with the object that delivers it.
package enum FailureDestination: Sendable {
  /// An issue recorded in the task that failed, so that a `withKnownIssue` around it holds.
  case currentTask
  /// An issue that Swift Testing shows as one of the test «unknown», with the reason and the remedy.
  case unknownTest
  /// An issue recorded with the task-local values of the test that made the helper.
  case relay(IssueRelay)
  /// A failure of an XCTest test: the one that made the helper or, if that has ended, the running one.
  case testCase(RunningTestCase, madeIn: RunningTestCase? = nil)
  /// A line on the console and a non-zero exit status, because no test can take the failure.
  case printed(madeIn: RunningTestCase? = nil)

  /// Chooses the destination of a failure of a helper that was made in `test`.
  ///
  /// Each combination has exactly one destination, so that no failure is lost or reported twice. From
  /// Swift 6.4 on each framework passes the other's failures on; calling both would report a failure
  /// twice.
  package init(of test: TestContext, in process: ProcessState = .current) {
    switch test {
    case .swiftTest(let test):
      let isCurrent = process.currentTest == test.test.id
      self = isCurrent ? .currentTask : test.relay.map(Self.relay) ?? .currentTask
    case .testCase(let test) where test.canRecord:
      self = .testCase(test)
    case .testCase(let ended):
      self =
        process.runningTestCase.map { .testCase($0, madeIn: ended) } ?? .printed(madeIn: ended)
    case .outsideTests:
      if process.currentTest != nil {
        self = .currentTask
      } else if let running = process.runningTestCase {
        self = .testCase(running)
      } else if process.countsIssuesOutsideTests {
        self = process.isExitTest ? .currentTask : .unknownTest
      } else {
        self = .printed()
      }
    }
  }

  private static let unknownTestText = """
    Swift Testing cannot know the test of this failure, because it fails outside a test's own tasks, in a helper \
    that was not made in one: in a detached task, on a queue, on a thread, in a global. Make the helper in the \
    test, and pass it there.
    """

  /// Tells the framework of the failure; false if the XCTest test has ended since the choice.
  func deliver(_ message: String, at site: CallSite) -> Bool {
    switch self {
    case .currentTask:
      recordIssue(message, at: SourceLocation(site))
    case .unknownTest:
      recordIssue("\(message)\n\(Self.unknownTestText)", at: SourceLocation(site))
    case .relay(let relay):
      relay.run { recordIssue(message, at: SourceLocation(site)) }
    case .testCase(let test, nil):
      return test.record(message, inFile: site.filePath.description, line: Int(site.line))
    case .testCase(let test, let ended?):
      return test.recordStray(
        "made in \(ended.name), which has ended: \(message)", inFile: site.filePath.description,
        line: Int(site.line))
    case .printed(let test):
      printFailure(message, of: test?.name, at: site)
      FailedExit.require()
    }
    return true
  }
}

/// Prints a failure the way XCTest does: on standard output in XCTest's process, else on standard error.
private func printFailure(_ message: String, of test: String?, at site: CallSite) {
  let place = "\(site.filePath):\(site.line): error: "
  if XCTestProgress.shared.hasStarted {
    print(place + "\(test ?? "(outside every test)") : \(message)")
    fflush(nil)
  } else {
    FileHandle.standardError.write(Data("\(place)\(message)\n".utf8))
  }
}

/// The tests and runners of the process at the moment of a failure.
package struct ProcessState: Sendable {
  /// The Swift Testing test that the failing task belongs to.
  package var currentTest: Test.ID?
  /// The XCTest test that runs.
  package var runningTestCase: RunningTestCase?
  /// Whether Swift Testing's runner runs this process's tests. It counts issues outside every test.
  package var isSwiftTestingHost = false
  /// Whether the process is the child of an exit test, to which all its issues belong.
  package var isExitTest = false
  /// Whether the process has begun to exit, after which no framework counts failures.
  package var isExiting = false

  package init() {}

  static var current: Self {
    var state = Self()
    state.currentTest = Test.current?.id
    state.runningTestCase = XCTestProgress.shared.running.flatMap { $0.canRecord ? $0 : nil }
    state.isSwiftTestingHost = hasSwiftTestingRunner && !XCTestProgress.shared.hasStarted
    state.isExiting = FailedExit.isExiting
    #if os(macOS) || os(Linux)
      state.isExitTest = ExitTest.current != nil
    #endif
    return state
  }

  fileprivate var countsIssuesOutsideTests: Bool { isSwiftTestingHost && !isExiting }

  /// Whether SwiftPM started the process as Swift Testing's runner, as its arguments say.
  private static var hasSwiftTestingRunner: Bool {
    let arguments = CommandLine.arguments
    if let option = arguments.firstIndex(of: "--testing-library"),
      arguments[(option + 1)...].first == "swift-testing"
    {
      return true
    }
    return arguments.contains("--testing-library=swift-testing")
  }
}
