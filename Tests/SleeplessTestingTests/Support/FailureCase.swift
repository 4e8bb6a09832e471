import SleeplessTesting
import TestSupport
import Testing
import XCTest

/// A way to make a helper fail, and the failure that the user reads: the same in both frameworks.
struct FailureCase: Sendable, CustomTestStringConvertible {
  let name: String
  let file: String
  let line: Int
  /// The whole text; `*` stands for a real time, which differs from run to run.
  let text: String
  /// What it needs to fail with that text, beyond what every system has.
  let needs: [Need]
  let provoke: @Sendable () async -> Void

  var testDescription: String { name }

  init(
    _ name: String, in file: String = #fileID, at line: Int, needs: Need..., reads text: String,
    provoke: @escaping @Sendable () async -> Void
  ) {
    self.name = name
    self.file = file
    self.line = line
    self.text = text
    self.needs = needs
    self.provoke = provoke
  }

  var canRun: Bool { needs.allSatisfy(\.isMet) }

  /// Skips the rest of a Swift Testing test.
  func skipUnlessItCanRun() throws { for need in needs { try need.orCancel() } }

  var failure: Failure { Failure(text, file: file, line: line) }

  /// The failure that a user reads, with `*` for the real times in lists of events.
  func failures(_ failures: [Failure]) -> [Failure] {
    guard text.contains("(now: *)") else { return failures }
    return failures.map { Failure($0.text.withoutTimes, file: $0.file, line: $0.line) }
  }
}

extension FailureCatchingTestCase {
  /// Provokes them all at once, since XCTest runs one test at a time and some of them wait, and
  /// compares what each reads. The cases that cannot run here are skipped in Swift Testing, and left out here.
  func assertFailures(of all: [FailureCase]) async {
    let failureCases = all.filter(\.canRun)
    let failures = await failures {
      await withTaskGroup { group in
        for failureCase in failureCases { group.addTask { await failureCase.provoke() } }
      }
    }
    var others = failures.map(\.withoutFunctions.withoutMissingCapture)
    for failureCase in failureCases {
      let own = others.filter { $0.line == failureCase.line && $0.file == failureCase.failure.file }
      XCTAssertEqual(failureCase.failures(own), [failureCase.failure], failureCase.name)
      others.removeAll(where: own.contains)
    }
    XCTAssertEqual(others, [])
  }
}

extension String {
  var withoutTimes: String {
    replacing(#/\(now: [^)]*\)/#, with: "(now: *)")
      .replacing(#/ x\d+/#, with: "")
      .replacing(/became true [0-9.]+ (?:ns|us|ms|s) after/, with: "became true * after")
      .replacing(#/(?m)^(  +\d+)  +[0-9.]+ (?:ns|us|ms|s)  /#) { "\($0.1)  *  " }
  }
}
