import Testing

// That no failure is lost, wherever an assertion is called, can only be seen from outside.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(1))) struct AssertionProcessTests {
    private static let contexts = ["sync", "async", "task", "detached", "queue", "thread"]
    private static let file = "Assertions.swift"

    private static let asyncMarks = [
      "eventually", "eventually async", "eventually value", "asserting", "always", "never",
      "expectThrows", "expectRunning", "expectCancellation", "expectExactlyOnce",
    ]
    private static let syncMarks = ["eventually advancing", "always advancing", "never advancing"]

    private func lines(in context: String) throws -> [FixtureLine] {
      let isSync = ["sync", "queue", "thread"].contains(context)
      return try (isSync ? Self.syncMarks : Self.asyncMarks).map {
        try FixtureLine($0, in: Self.file)
      }
    }

    @Test(arguments: contexts)
    func `F2 in XCTest each assertion's failure is told once, at its line`(
      context: String
    ) async throws {
      let run = try await FixtureRun.xctest("assertions", context)
      #expect(run.xctestFailures.map(\.place) == (try lines(in: context).map(\.path)))
      #expect(Set(run.xctestFailures.map(\.test)) == ["AssertionTests.testEach"])
      #expect(run.status != 0)
    }

    @Test(arguments: contexts)
    func `F2 in Swift Testing each assertion's failure is told once, at its line`(
      context: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting("Assertions/each", "", context)
      #expect(run.swiftTestingFailures.map(\.place) == (try lines(in: context).map(\.name)))
      // Nothing tells a detached task, a queue or a thread to which test it belongs.
      let knowsItsTest = ["sync", "async", "task"].contains(context)
      #expect(
        Set(run.swiftTestingFailures.map(\.test)) == [knowsItsTest ? "each()" : "«unknown»"])
      #expect(run.status != 0)
    }

    @Test func `F1 a failed XCTAssert that waits for its turn is told once, and not waited for`()
      async throws
    {
      let run = try await FixtureRun.xctest("asserted")
      #expect(
        run.xctestFailures.map(\.place) == [try FixtureLine("XCTest asserted", in: Self.file).path])
      #expect(run.output.contains("with 1 failure"))
    }

    // The end of a test

    @Test func `in Swift Testing a leftover fails the test, but not one that has failed`()
      async throws
    {
      let run = try await FixtureRun.swiftTesting("Ends")
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
  }
#endif
