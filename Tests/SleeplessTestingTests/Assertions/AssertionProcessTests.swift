import Testing
import TestSupport

// That no failure is lost, wherever an assertion is called, can only be seen from outside.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct AssertionProcessTests {
    private static let contexts = ["sync", "async", "task", "detached", "queue", "thread"]
    private static let file = "Assertions.swift"

    private static let asyncMarks =
      [
        "eventually", "eventually async", "eventually value", "eventually async value", "holds",
        "holds async", "always", "always async", "never", "never async", "expectThrows",
        "expectThrows of a type", "expectThrows of an error", "expectThrows where", "expectRunning",
        "expectCancellation", "expectExactlyOnce", "expectFinish",
      ]
      // Where tasks are not captured it tries again until its assertions hold, as these do.
      + (Need.capture.isMet ? ["asyncAssert", "asyncAssert async"] : [])
    private static let syncMarks =
      ["eventually advancing", "always advancing", "never advancing"]
      + (Need.capture.isMet ? ["asyncAssert here"] : [])
    /// The failures of the test's doubles, from any caller.
    private static let doubleMarks = ["stub", "spy", "gate"]

    /// A detached task, a queue or a thread does not know its test.
    private func knowsItsTest(_ context: String) -> Bool {
      ["sync", "async", "task"].contains(context)
    }

    private func lines(_ marks: [String]) throws -> [FixtureLine] {
      try marks.map { try FixtureLine($0, in: Self.file) }
    }

    private func lines(in context: String) throws -> [FixtureLine] {
      let isSync = ["sync", "queue", "thread"].contains(context)
      return try lines(isSync ? Self.syncMarks : Self.asyncMarks)
    }

    @Test(arguments: contexts)
    func `F2 in XCTest each assertion's failure is reported once, at its line`(
      context: String
    ) async throws {
      let run = try await FixtureRun.xctest("assertions", context)
      let lines = try lines(in: context) + lines(Self.doubleMarks)
      #expect(run.xctestFailures.map(\.place) == lines.map(\.path))
      #expect(Set(run.xctestFailures.map(\.test)) == ["AssertionTests.testEach"])
      #expect(run.status != 0)
    }

    @Test(arguments: contexts)
    func `F2 in Swift Testing each assertion's failure is reported once, at its line`(
      context: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting("Assertions/each", "", context)
      let test = knowsItsTest(context) ? "each()" : "«unknown»"
      let expected =
        try lines(in: context).map { "\($0.name) \(test)" }
        + lines(Self.doubleMarks).map { "\($0.name) each()" }
      // A failure from outside the test's own task takes a while to arrive.
      #expect(
        run.swiftTestingFailures.map { "\($0.place) \($0.test)" }.sorted() == expected.sorted())
      #expect(run.status != 0)
    }

    @Test func `a failed XCTAssert within eventually means not yet, and is not reported`()
      async throws
    {
      let run = try await FixtureRun.xctest("asserted")
      #expect(run.xctestFailures.isEmpty, "\(run.output)")
      #expect(run.output.contains("Executed 1 test, with 0 failures"), "\(run.output)")
    }

    @Test func `F4 after ten failures at one line the rest are counted, unless they are caught`()
      async throws
    {
      let line = try FixtureLine("loop", in: Self.file)
      let shown = "always expected its condition to be true for 1 s, but after 0 s it was false."
      let texts =
        Array(repeating: shown, count: 10) + [
          "This line failed 2 more times; only its first ten failures are shown."
        ]
      let xctest = try await FixtureRun.xctest("loops")
      #expect(xctest.xctestFailures.map(\.message.firstLine) == texts, "\(xctest.output)")
      #expect(Set(xctest.xctestFailures.map(\.place)) == [line.path])
      let swift = try await FixtureRun.swiftTesting("Loops/")
      #expect(swift.swiftTestingFailures.map(\.message.firstLine) == texts, "\(swift.output)")
      #expect(Set(swift.swiftTestingFailures.map(\.test)) == ["fails()"])
    }

    // The end of a test

    @Test(arguments: contexts)
    func `F2 leftovers are reported once, wherever their helper was made`(
      context: String
    ) async throws {
      let line = try FixtureLine("leftover", in: Self.file)
      let xctest = try await FixtureRun.xctest("ends-elsewhere", context)
      #expect(
        xctest.xctestFailures.map { "\($0.place) \($0.test)" }
          == ["\(line.path) EndTests.testMadeElsewhere"])
      let swift = try await FixtureRun.swiftTesting("EndsElsewhere", "", context)
      #expect(
        swift.swiftTestingFailures.map { "\($0.place) \($0.test)" }
          == ["\(line.name) \(knowsItsTest(context) ? "madeElsewhere()" : "«unknown»")"])
    }

    @Test func `in Swift Testing a leftover fails the test, but not one that has failed`()
      async throws
    {
      let run = try await FixtureRun.swiftTesting("Ends/")
      #expect(
        run.swiftTestingFailures.map(\.place) == [
          try FixtureLine("Swift leftover", in: Self.file).name,
          try FixtureLine("Swift first failure", in: Self.file).name,
        ])
      let place = try FixtureLine("Swift failed before", in: Self.file).name
      #expect(run.output.contains("recorded a warning at \(place)"))
      #expect(run.output.contains("with 2 issues") || run.output.contains("with 3 issues"))
      #expect(run.status != 0)
    }

    @Test func `in XCTest a leftover of a test that has failed is printed`() async throws {
      let run = try await FixtureRun.xctest("ends")
      #expect(
        run.xctestFailures.map(\.place)
          == [try FixtureLine("XCTest first failure", in: Self.file).path])
      let place = try FixtureLine("XCTest failed before", in: Self.file).path
      #expect(run.output.contains("\(place): warning: 1 event of \"numbers\" was never read:"))
      #expect(run.output.contains("The test had failed before; this may follow from it."))
    }

    @Test
    func `in XCTest a throwing, a skipped and a blameless test have the leftovers they should`()
      async throws
    {
      let run = try await FixtureRun.xctest("ends-unfinished")
      let leftover =
        "A scheduler was released with work pending that will now never run (now: 0 s):"
      #expect(
        run.xctestFailures.map { "\($0.test): \($0.message.firstLine)" } == [
          "EndTests.testThrows: threw error \"Offline()\"",
          "EndTests.testHasStrayFailure: made in EndTests.testMakesHelper, which has ended: "
            + "the stray failure",
          "EndTests.testHasStrayFailure: \(leftover)",
        ], "\(run.output)")
      #expect(run.output.split(separator: "warning: \(leftover)").count == 2, "\(run.output)")
    }
  }
#endif
