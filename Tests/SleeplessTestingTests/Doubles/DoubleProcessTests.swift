import Testing
import TestSupport

// What is left at the end of a test, and what another test calls, can only be seen from outside.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct DoubleProcessTests {
    typealias Failure = FixtureRun.Failure

    private let file = "Doubles.swift"

    @Test
    func
      `F1 in XCTest a double's leftovers and calls by other tests are reported once, in their test`()
      async throws
    {
      let run = try await FixtureRun.xctest("doubles")
      // The maker of the shared spy has ended; the test that runs says so.
      let shared =
        "made in DoublesTests.testMaker, which has ended: " + (try shared("DoublesTests.testUser"))
      #expect(
        run.xctestFailures.map(\.withoutTimes)
          == [
            Failure(
              test: "DoublesTests.testHeld", place: try FixtureLine("held gate", in: file).path,
              message: held),
            Failure(
              test: "DoublesTests.testStored", place: try FixtureLine("stored stub", in: file).path,
              message: stored),
            Failure(
              test: "DoublesTests.testUser", place: try FixtureLine("shared spy", in: file).path,
              message: shared),
          ].map(\.withoutTimes))
      #expect(run.status != 0)
    }

    @Test
    func
      `F1 in Swift Testing a double's leftovers and calls by other tests are reported once, in their test`()
      async throws
    {
      let run = try await FixtureRun.swiftTesting("Doubles/")
      #expect(
        run.swiftTestingFailures == [
          Failure(
            test: "held()", place: try FixtureLine("held gate", in: file).name, message: held),
          Failure(
            test: "maker()", place: try FixtureLine("shared spy", in: file).name,
            message: try shared("user()")),
        ])
      #expect(run.status != 0)
    }

    @Test func `F1 a double of another case of the same test is another test's`() async throws {
      let run = try await FixtureRun.swiftTesting("DoublesOfCases")
      #expect(
        run.swiftTestingFailures.map(\.message) == [try shared("another case of cases(number:)")])
      #expect(
        run.swiftTestingFailures.map(\.place) == [try FixtureLine("shared spy", in: file).name])
    }

    @Test(.needs(.capture))
    func `F4 a stub in a loop fails a simulated test eleven times, and the test ends`()
      async throws
    {
      let line = try FixtureLine("flooded stub", in: file)
      let messages =
        (1...10).map(unanswered) + [
          """
          The helper made here failed 1 more time; only its first ten failures are shown.
          This is usually one cause in a loop: begin with the first failure.
          """
        ]
      let xctest = try await FixtureRun.xctest("flood")
      #expect(
        xctest.xctestFailures.map(\.withoutWarning)
          == messages.map { Failure(test: "FloodTests.testStub", place: line.path, message: $0) })
      #expect(xctest.output.contains("with 11 failures (0 unexpected)"))
      let swift = try await FixtureRun.swiftTesting("Floods/")
      #expect(
        swift.swiftTestingFailures
          == messages.map { Failure(test: "stub()", place: line.name, message: $0) })
      for run in [xctest, swift] {
        #expect(run.output.contains("The test had failed before; this may follow from it."))
        #expect(run.status != 0)
      }
    }

    private func unanswered(_ call: Int) -> String {
      let calls = (1...call).map { call == 10 && $0 < 10 ? "   \($0)  0 s  7" : "  \($0)  0 s  7" }
      return """
        "flooded" was called with 7, and it has no answer for that.
        So far (now: 0 s):
        \(calls.joined(separator: "\n"))
        Give one before the call: always(.value(...)) for every call, inTurn(...) for the next ones, \
        either with for: or where: for some.
        """
    }

    private var stored: String {
      """
      1 of 2 answers in turn of "stored", given in Doubles.swift:1, was never asked for.
      So far (now: *):
        1  *  1
      Either the code calls less often than the test expects, or the test ends too early. Answers \
      that need not be used are given with always(...).
      """
    }

    private var held: String {
      """
      1 call of "held" was still held back at the end of the test.
      So far (now: 0 s):
        1  0 s  7: in flight
      Answer each call with succeed(with:) or fail(with:), or cancel the task that made it. A call \
      still held now ends with CancellationError.
      """
    }

    private func shared(_ user: String) throws -> String {
      let place = try FixtureLine("shared spy", in: file).name
      return """
        "shared" was called by another test, \(user), with 7.
        Nothing has come so far (now: 0 s).
        It belongs to the test that made it, in \(place). Make doubles in each test: a \
        static or shared one carries calls and answers from one test into the next.
        """
    }
  }

  extension FixtureRun.Failure {
    /// Without the warning that XCTest has no way to show and that is printed after it.
    fileprivate var withoutWarning: Self {
      var failure = self
      failure.message = message.replacing(#/\n\/[^\n]*: warning: (.|\n)*/#, with: "")
      return failure
    }

    /// With `*` for real times, and without the line on which answers were given.
    fileprivate var withoutTimes: Self {
      var failure = self
      failure.message = message.withoutTimes
        .replacing(#/given in Doubles\.swift:\d+/#, with: "given in Doubles.swift:1")
      return failure
    }
  }
#endif
