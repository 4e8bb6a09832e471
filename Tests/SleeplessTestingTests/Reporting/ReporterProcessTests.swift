import Foundation
import Testing

// A failure that is reported can only be seen from outside: each test runs the fixture, reads what
// the framework printed and looks at the exit status. One process at a time; each takes some 20 ms.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ReporterProcessTests {
    typealias Failure = FixtureRun.Failure

    private static let contexts = ["sync", "async", "task", "detached", "queue", "thread"]

    private func message(_ context: String) -> String { "the \(context) failed\nand said so" }

    // While the test runs

    @Test(arguments: contexts)
    func `F1 an XCTest failure is reported once, at its line, in the test that made the helper`(
      context: String
    ) async throws {
      let run = try await FixtureRun.xctest("during", context)
      let isAsync = context == "async"
      let line = try FixtureLine(isAsync ? "XCTest async helper" : "XCTest helper", in: xctestFile)
      let test = isAsync ? "OwnerTests.testAsyncOwner" : "OwnerTests.testOwner"
      expect(
        run.xctestFailures, [Failure(test: test, place: line.path, message: message(context))], run)
    }

    @Test(arguments: contexts)
    func
      `F1 a Swift Testing failure is reported once, at its line, in the test that made the helper`(
        context: String
      ) async throws
    {
      let run = try await FixtureRun.swiftTesting("Cells", "during", context)
      expect(run.swiftTestingFailures, [try swiftOwnerFailure(context)], run)
    }

    // After it ended

    @Test(arguments: contexts)
    func `F2 an XCTest failure after the end fails the running test and names the ended one`(
      context: String
    ) async throws {
      let run = try await FixtureRun.xctest("after", context)
      let isAsync = context == "async"
      let line = try FixtureLine(isAsync ? "XCTest async helper" : "XCTest helper", in: xctestFile)
      let (owner, later) =
        isAsync
        ? ("OwnerTests.testAsyncOwner", "LaterTests.testAsyncLater")
        : ("OwnerTests.testOwner", "LaterTests.testLater")
      let text = "made in \(owner), which has ended: \(message(context))"
      expect(run.xctestFailures, [Failure(test: later, place: line.path, message: text)], run)
    }

    @Test(arguments: contexts)
    func `F1 a Swift Testing failure after the end still belongs to the test that made the helper`(
      context: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting("Cells", "after", context)
      expect(run.swiftTestingFailures, [try swiftOwnerFailure(context)], run)
    }

    @Test(arguments: ["finished", "exiting"])
    func `F2 an XCTest failure after the last test is printed and fails the process`(
      scenario: String
    ) async throws {
      let run = try await FixtureRun.xctest(scenario)
      let line = try FixtureLine("XCTest helper", in: xctestFile)
      expect(
        run.xctestFailures,
        [Failure(test: "OwnerTests.testOwner", place: line.path, message: message("sync"))], run)
    }

    @Test func `F2 a Swift Testing failure while the process exits fails the process`() async throws
    {
      let run = try await FixtureRun.swiftTesting("Cells", "exiting")
      expect(run.swiftTestingFailures, [try swiftOwnerFailure("sync")], run)
    }

    // Helpers without a test

    @Test func `F2 a helper in a stored property fails the XCTest test that uses it`() async throws
    {
      let run = try await FixtureRun.xctest("stored")
      let line = try FixtureLine("stored helper", in: xctestFile)
      let failure = Failure(
        test: "StoredPropertyTests.testStored", place: line.path,
        message: "the stored property failed")
      expect(run.xctestFailures, [failure], run)
    }

    @Test func `F2 a helper made outside every test fails the XCTest test that uses it`()
      async throws
    {
      let run = try await FixtureRun.xctest("outside")
      let line = try FixtureLine("outside helper", in: "Fixture.swift")
      let failure = Failure(
        test: "OutsideTests.testOutside", place: line.path, message: "the global failed")
      expect(run.xctestFailures, [failure], run)
    }

    @Test func `F2 a helper made outside every test fails the XCTest run when no test uses it`()
      async throws
    {
      let run = try await FixtureRun.xctest("outside-finished")
      let line = try FixtureLine("outside helper", in: "Fixture.swift")
      let failure = Failure(
        test: "(outside every test)", place: line.path, message: "the global failed")
      expect(run.xctestFailures, [failure], run)
    }

    @Test(arguments: [("outsideHere", "outsideHere()"), ("outsideDetached", "«unknown»")])
    func `F2 a helper made outside every test fails the Swift Testing test or the run`(
      filter: String, test: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting("Outside/\(filter)")
      let line = try FixtureLine("outside helper", in: "Fixture.swift")
      let reason =
        "\nSwift Testing cannot know the test of this failure, because it fails outside a test's own tasks, in a "
        + "helper that was not made in one: in a detached task, on a queue, on a thread, in a global. Make the "
        + "helper in the test, and pass it there."
      let message = "the global failed" + (test == "«unknown»" ? reason : "")
      let failure = Failure(test: test, place: line.name, message: message)
      expect(run.swiftTestingFailures, [failure], run)
    }

    @Test func `F2 without a test framework the failure is printed and fails the process`()
      async throws
    {
      let run = try await FixtureRun(["plain"])
      let line = try FixtureLine("outside helper", in: "Fixture.swift")
      #expect(run.output == "\(line.path): error: nobody runs tests here\n")
      #expect(run.status == 1)
    }

    // Several failures, known failures, other people's helpers

    @Test func `F1 two failures of one helper are two`() async throws {
      let xctest = try await FixtureRun.xctest("two")
      let swift = try await FixtureRun.swiftTesting("Several/two")
      let messages = ["the first", "the second"]
      let path = try FixtureLine("XCTest two", in: xctestFile).path
      expect(
        xctest.xctestFailures,
        messages.map { Failure(test: "SeveralFailuresTests.testTwo", place: path, message: $0) },
        xctest)
      let name = try FixtureLine("Swift two", in: swiftFile).name
      expect(
        swift.swiftTestingFailures,
        messages.map { Failure(test: "two()", place: name, message: $0) }, swift)
    }

    @Test func `F2 of eight failures from eight threads none is lost`() async throws {
      let xctest = try await FixtureRun.xctest("eight")
      let swift = try await FixtureRun.swiftTesting("Several/eight")
      let messages = (0..<8).map { "failure number \($0)" }
      let path = try FixtureLine("XCTest eight", in: xctestFile).path
      let test = "SeveralFailuresTests.testEightThreads"
      expect(
        xctest.xctestFailures.sorted { $0.message < $1.message },
        messages.map { Failure(test: test, place: path, message: $0) }, xctest)
      #expect(xctest.output.contains("with 8 failures (0 unexpected)"))
      let name = try FixtureLine("Swift eight", in: swiftFile).name
      expect(
        swift.swiftTestingFailures.sorted { $0.message < $1.message },
        messages.map { Failure(test: "eight()", place: name, message: $0) }, swift)
    }

    @Test func `F1 a failure can point at another line than the helper's`() async throws {
      let xctest = try await FixtureRun.xctest("line")
      let swift = try await FixtureRun.swiftTesting("Several/otherLine")
      #expect(
        xctest.xctestFailures.map(\.place)
          == [try FixtureLine("XCTest other line", in: xctestFile).path])
      #expect(
        swift.swiftTestingFailures.map(\.place)
          == [try FixtureLine("Swift other line", in: swiftFile).name])
    }

    @Test func `F1 a failure in a parameterized test belongs to its case`() async throws {
      let run = try await FixtureRun.swiftTesting("Cases")
      let line = try FixtureLine("parameterized helper", in: swiftFile)
      let failure = Failure(
        test: "parameterized(name:)", place: line.name, message: "case two failed")
      expect(run.swiftTestingFailures, [failure], run)
      #expect(run.output.contains(#"recorded an issue with 1 argument name → "two" at"#))
    }

    @Test func `F1 a failure in the child process of an exit test belongs to the exit test`()
      async throws
    {
      let run = try await FixtureRun.swiftTesting("ExitTests")
      let line = try FixtureLine("exit test helper", in: swiftFile)
      let failure = Failure(test: "child()", place: line.name, message: "the child failed")
      expect(run.swiftTestingFailures, [failure], run)
    }

    @Test func `F1 a test that fails another test's helper is not blamed`() async throws {
      let run = try await FixtureRun.swiftTesting("Shared")
      let line = try FixtureLine("shared helper", in: swiftFile)
      let failure = Failure(test: "maker()", place: line.name, message: message("sync"))
      expect(run.swiftTestingFailures, [failure], run)
    }

    @Test(arguments: [("known()", 1), ("knownFromThreads()", 8)])
    func `F1 a known issue stays known`(test: String, count: Int) async throws {
      let run = try await FixtureRun.swiftTesting("Known/\(test.dropLast(2))\\(")
      let text = "Test \(test) recorded a known issue at "
      #expect(run.output.components(separatedBy: text).count - 1 == count)
      #expect(run.swiftTestingFailures.isEmpty)
      #expect(run.status == 0, "\(run.output)")
    }

    private let xctestFile = "XCTestCases.swift"
    private let swiftFile = "SwiftTests.swift"

    private func swiftOwnerFailure(_ context: String) throws -> Failure {
      let isSync = context == "sync"
      let line = try FixtureLine(isSync ? "Swift helper" : "Swift async helper", in: swiftFile)
      return Failure(
        test: isSync ? "owner()" : "asyncOwner()", place: line.name, message: message(context))
    }

    private func expect(
      _ failures: [Failure], _ expected: [Failure], _ run: FixtureRun,
      at location: SourceLocation = #_sourceLocation
    ) {
      #expect(failures == expected, "\(run.output)", sourceLocation: location)
      #expect(run.status == 1, "\(run.output)", sourceLocation: location)
      // Not always seen in the status: a forced exit leaves out the sanitizer's own.
      #expect(!run.output.contains("ThreadSanitizer"), sourceLocation: location)
    }
  }
#endif
