import Testing

// Where a recorder's failures appear can only be seen from outside.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct RecorderProcessTests {
    typealias Failure = FixtureRun.Failure

    private let file = "Recorders.swift"

    @Test func `F1 in XCTest a recorder's failure is told once, in its test, kept or thrown`()
      async throws
    {
      let run = try await FixtureRun.xctest("recorders")
      let marks = ["unread", "thrown", "async thrown"]
      #expect(
        run.xctestFailures.map(\.test)
          == ["testUnread", "testThrown", "testAsyncThrown"].map { "RecorderTests.\($0)" })
      #expect(
        run.xctestFailures.map(\.place)
          == (try marks.map { try FixtureLine("XCTest \($0)", in: file).path }))
      #expect(run.xctestFailures.first?.message == unread)
      #expect(run.output.contains("Executed 4 tests, with 3 failures (0 unexpected)"))
      #expect(run.status != 0)
    }

    @Test(arguments: [
      ("unread", "Swift unread"), ("thrown", "Swift thrown"), ("asyncThrown", "Swift async thrown"),
      ("insideExpect", "Swift inside expect"),
    ])
    func `F1 in Swift Testing a recorder's failure is told once, left over or thrown`(
      test: String, mark: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting("Recorders/\(test)")
      #expect(run.swiftTestingFailures.map(\.test) == ["\(test)()"])
      #expect(
        run.swiftTestingFailures.map(\.place) == [try FixtureLine(mark, in: file).name])
      if test == "unread" { #expect(run.swiftTestingFailures.first?.message == unread) }
      #expect(run.output.contains("failed after") && run.output.contains("with 1 issue"))
      #expect(run.status != 0)
    }

    private var unread: String {
      """
      1 event of "numbers" was never read:
        1  0 s  1  (unread)
      Read what the test should know of, with next(), expect() or all(), or leave it out with \
      skip(). If the test does not care, make the recorder with allowsUnread: true.
      """
    }
  }
#endif
