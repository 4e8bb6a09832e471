import Sleepless
import SleeplessSimulation

// A `CallSite` holds only static strings. These functions report at lines that are found at run time, which
// is possible in XCTest. Without such a line they report at the helper's own line.

extension Reporter {
  func fail(_ message: String, at line: SourceLine?) {
    if let line, test.testCase?.record(withNotes(message), at: line) == true { return }
    fail(message)
  }

  func tellLeftover(_ message: String, at line: SourceLine?) {
    guard case .testCase(let test) = test, line != nil else { return tellLeftover(message) }
    guard !test.isSkipped else { return }
    if test.hasFailed { return warn("\(message)\n\(Self.remark)", at: line) }
    test.noteUnrelated { fail(message, at: line) }
  }

  func warn(_ message: String, at line: SourceLine?) {
    guard case .testCase = test, let line else { return warn(message) }
    print("\(line.path):\(line.number): warning: \(message)")
  }
}

extension RunningTestCase {
  fileprivate func record(_ message: String, at line: SourceLine) -> Bool {
    record(message, inFile: line.path, line: line.number)
  }
}
