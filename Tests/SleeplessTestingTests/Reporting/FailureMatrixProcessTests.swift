import Foundation
import Testing
import TestSupport

// Each kind of test fails at each moment, alone and beside other tests. The tests are in the fixture's Matrix.swift.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct FailureMatrixProcessTests {
    @Test(arguments: MatrixFramework.allCases, MatrixMoment.allCases)
    func `F1 the failure of a test that runs alone is told once, in that test and at its line`(
      framework: MatrixFramework, moment: MatrixMoment
    ) async throws {
      for name in framework.tests {
        let run = try await framework.run(name, moment)
        let cell = MatrixCell(framework: framework, name: name, moment: moment, isAlone: true)
        #expect(framework.failures(in: run) == (try cell.failures), "\(name): \(run.output)")
        #expect(run.status == 1, "\(name): \(run.output)")
      }
    }

    @Test(arguments: MatrixFramework.allCases, MatrixMoment.allCases)
    func `F1 of tests that run together each failure is told once, in its test and at its line`(
      framework: MatrixFramework, moment: MatrixMoment
    ) async throws {
      let run = try await framework.runAll(moment)
      var expected = try framework.tests.flatMap { name in
        try MatrixCell(framework: framework, name: name, moment: moment, isAlone: false).failures
      }
      var failures = framework.failures(in: run)
      if framework == .swiftTesting {
        // Its tests run side by side. The failures of one test keep their order.
        expected.sort { $0.test < $1.test }
        failures = failures.enumerated()
          .sorted { ($0.element.test, $0.offset) < ($1.element.test, $1.offset) }
          .map(\.element)
      }
      #expect(failures == expected, "\(run.output)")
      #expect(run.status == 1, "\(run.output)")
    }

    @Test(arguments: MatrixMoment.allCases)
    func
      `F2 in Swift Testing the failure of a helper made elsewhere is told once, as one of no test`(
        moment: MatrixMoment
      ) async throws
    {
      let run = try await MatrixFramework.swiftTesting.run("elsewhere", moment)
      let cell = MatrixCell(
        framework: .swiftTesting, name: "elsewhere", moment: moment, isAlone: true)
      #expect(
        MatrixFramework.swiftTesting.failures(in: run) == (try cell.failures), "\(run.output)")
      #expect(run.status == 1, "\(run.output)")
    }

    @Test func `F1 the documentation lists the failures that their own tests do not tell`() throws {
      let page = try String(contentsOf: Self.page, encoding: .utf8)
      let rows = page.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
      let first = rows.compactMap { $0.split(separator: "|").first }
      #expect(
        first.map { $0.trimmingCharacters(in: .whitespaces) }
          == MatrixException.allCases.map(\.rawValue))
    }

    private static var page: URL {
      URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/SleeplessTesting/SleeplessTesting.docc/FailureReports.md")
    }
  }
#endif
