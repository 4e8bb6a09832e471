import Testing

@testable import FindWaits

/// What the user reads, letter by letter.
@Suite struct ReportTextTests {
  static let sample = [
    SourceText(
      path: "Tests/AppTests/ToastTests.swift",
      text: """
        import Testing

        @Test func `a toast goes away`() async throws {
          let toast = Toast()
          toast.show("Saved")
          try await Task.sleep(for: .seconds(3.5))
          while toast.isShown { await Task.yield() }
        }
        """),
    SourceText(
      path: "Tests/AppTests/SearchTests.swift",
      text: """
        import XCTest

        final class SearchTests: XCTestCase {
          func testFinds() {
            let found = expectation(description: "found")
            SearchModel().search { found.fulfill() }
            wait(for: [found], timeout: 5)
            pause()
          }

          func testNothing() {}

          func pause(for seconds: Double = 0.5) { Thread.sleep(forTimeInterval: seconds) }
        }
        """),
    SourceText(
      path: "Tests/AppTests/ProfileTests.swift",
      text: """
        import XCTest

        final class ProfileTests: XCTestCase {
          func testLoads() {
            let loaded = expectation(description: "loaded")
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) { loaded.fulfill() }
            waitForExpectations(timeout: 1)
          }

          func testSpeed() {
            measure { usleep(1000) }
          }
        }
        """),
  ]

  @Test func `tests come worst first, each with its places`() {
    #expect(
      ReportText.text(of: Report(Self.sample)) == """
        a toast goes away                                                          3.5 s
          Add the trait: In a simulation it takes virtual time.
          Tests/AppTests/ToastTests.swift:6: Task.sleep, 3.5 s
              3 | @Test(.simulated) func `a toast goes away`() async throws {
          Change a line: eventually wakes on events and does not poll.
          Tests/AppTests/ToastTests.swift:7: polling loop (Task.yield)
              7 | await eventually { !toast.isShown }

        SearchTests.testFinds                                                      0.5 s
          Add the trait: In a simulation it takes virtual time.
          Tests/AppTests/SearchTests.swift:7: expectation, up to 5 s
          Tests/AppTests/SearchTests.swift:8: thread sleep (Thread.sleep), 0.5 s, in
              pause() at Tests/AppTests/SearchTests.swift:13
              3 | final class SearchTests: SimulatedTestCase {

        ProfileTests.testLoads                                                     0.3 s
          Inject: Simulations control this on Linux alone: it calls asyncAfter
            (Tests/AppTests/ProfileTests.swift:6).
          Tests/AppTests/ProfileTests.swift:6: asyncAfter
              (DispatchQueue.main.asyncAfter), 0.3 s
              6 | scheduler.asyncAfter(deadline: .now() + 0.3) { loaded.fulfill() }
          Tests/AppTests/ProfileTests.swift:7: expectation, up to 1 s
              7 | scheduler.run()
                | waitForExpectations(timeout: 1)

        ProfileTests.testSpeed                                                      1 ms
          Leave alone: Its time is real: it measures real time
            (Tests/AppTests/ProfileTests.swift:11).
          Tests/AppTests/ProfileTests.swift:11: thread sleep (usleep), 1 ms

        4 of 5 tests wait: 1 needs only a trait, 1 a line, 1 an injected queue, 1 should
        be left alone; literal durations: 4.3 s, timeouts: up to 6 s.
        The lines need `import SleeplessTesting`, and its product in the test target.

        """)
  }

  @Test func `lines fit into 80 columns and are ASCII`() {
    let lines = ReportText.text(of: Report(Self.sample)).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 && $0.allSatisfy(\.isASCII) })
  }

  @Test func `tests that wait only in their fixtures come as one`() {
    let text = """
      import XCTest
      class ATests: XCTestCase {
        override func setUp() { usleep(1000) }
        func testA() {}
        func testB() {}
        func testC() {}
        func testD() {}
      }
      """
    #expect(
      ReportText.text(of: Report(text)) == """
        4 tests in setUp(): ATests.testA, ATests.testB, ATests.testC and 1 more
          Add the trait: In a simulation it takes virtual time.
          Tests/A.swift:3: thread sleep (usleep), 1 ms, in setUp()
              2 | class ATests: SimulatedTestCase {

        4 of 4 tests wait: 4 need only a trait; literal durations: 4 ms.
        The lines need `import SleeplessTesting`, and its product in the test target.

        """)
  }

  @Test func `no test waits`() {
    #expect(
      ReportText.text(of: Report(Sample.test("a()"))) == "None of 1 test waits.\n")
  }

  @Test func `no test is found`() {
    #expect(
      ReportText.text(of: Report("let a = 1")) == """
        No tests found in 1 file.
        find-waits reads tests of Swift Testing, XCTest and Quick. Pass the folders that
        hold them, as in: swift package find-waits Tests

        """)
  }

  @Test func `a file that does not parse is named, and the others are read`() {
    let report = Report([
      SourceText(path: "Tests/A.swift", text: "func a( {}"),
      SourceText(path: "Tests/B.swift", text: Sample.test("a()")),
    ])
    #expect(
      ReportText.text(of: report) == """
        Tests/A.swift:1: not read. The ( here has no partner.
          Correct the file, or leave it out: --exclude Tests/A.swift

        None of 1 test waits.

        """)
  }
}
