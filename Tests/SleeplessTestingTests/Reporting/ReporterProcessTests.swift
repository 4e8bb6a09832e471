import Foundation
import Testing

// A failure that is reported can only be seen from outside: each test runs the fixture, reads what
// the framework printed and looks at the exit status. One process at a time; each takes some 20 ms.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ReporterProcessTests {
    typealias Failure = FixtureRun.Failure

    private let message = "the helper failed\nand said so"

    // While the process exits

    @Test func `F2 an XCTest failure while the process exits is printed and fails the process`()
      async throws
    {
      let run = try await FixtureRun.xctest("exiting")
      let line = try FixtureLine("XCTest helper", in: xctestFile)
      expect(
        run.xctestFailures,
        [Failure(test: "OwnerTests.testOwner", place: line.path, message: message)], run)
    }

    @Test func `F2 a Swift Testing failure while the process exits fails the process`() async throws
    {
      let run = try await FixtureRun.swiftTesting("Exiting", "exiting")
      let line = try FixtureLine("Swift helper", in: swiftFile)
      expect(
        run.swiftTestingFailures,
        [Failure(test: "owner()", place: line.name, message: message)], run)
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
      let failure = Failure(test: "maker()", place: line.name, message: message)
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
