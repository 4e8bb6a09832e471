import Testing

@testable import FindWaits

@Suite struct TimingsTests {
  private let json = """
    {"version":1,"tests":[
      {"test":"AppTests.ATests/testShort()","file":"/work/Tests/A.swift","line":3,"seconds":5,"waits":[
        {"file":"/work/Tests/A.swift","line":3,"function":"testShort()","kind":"thread sleep","seconds":4.5}]},
      {"test":"AppTests.BTests/testB()","file":"/work/Tests/B.swift","line":9,"seconds":2,"waits":[
        {"file":"/work/Sources/App/Model.swift","line":7,"function":"load()","kind":"Task.sleep","seconds":1.5}]}
    ]}
    """

  @Test func `the test that took longest comes first`() throws {
    var report = Report(
      """
      import XCTest
      class ATests: XCTestCase {
        func testShort() { usleep(delay) }
        func testLong() { sleep(3) }
      }
      """)
    report.join(try Timings(json, "t.json"))
    #expect(
      ReportText.text(of: report) == """
        ATests.testShort                                                    measured 5 s
          Add the trait: In a simulation it takes virtual time.
          Tests/A.swift:3: thread sleep (usleep), measured 4.5 s
              2 | class ATests: SimulatedTestCase {

        ATests.testLong                                                              3 s
          Add the trait: In a simulation it takes virtual time.
          Tests/A.swift:4: thread sleep (sleep), 3 s
              2 | class ATests: SimulatedTestCase {

        Measured, and not found in the source of the test:
        AppTests.BTests/testB(): measured 2 s
          /work/Sources/App/Model.swift:7: Task.sleep, 1.5 s

        2 of 2 tests wait: 2 need only a trait; literal durations: 3 s; measured: 5 s.
        The lines need `import SleeplessTesting`, and its product in the test target.

        """)
  }

  @Test func `a test whose file the run does not know is joined by its name`() throws {
    var report = Report("import XCTest\nclass ATests: XCTestCase { func testA() { sleep(3) } }")
    report.join(
      try Timings(
        #"{"version":1,"tests":[{"test":"ATests.testA","file":"","line":0,"seconds":3,"waits":[]}]}"#,
        "t.json"))
    #expect(report.tests.map(\.measured) == [3])
  }

  @Test(.timeLimit(.minutes(10))) func `ten thousand tests are joined at once`() throws {
    let numbers = 0..<10_000
    let tests = numbers.map {
      #"{"test":"App.Tests/test\#($0)()","file":"A.swift","line":1,"seconds":1,"waits":[]}"#
    }
    var report = Report("")
    report.tests = numbers.reversed().map {
      WaitingTest(
        name: "Tests.test\($0)", file: "A.swift", line: 1, framework: "XCTest", places: [])
    }
    report.join(
      try Timings("{\"version\":1,\"tests\":[\(tests.joined(separator: ","))]}", "t.json"))
    #expect(report.tests.allSatisfy { $0.measured == 1 })
  }

  @Test func `another version is named`() {
    let error = #expect(throws: Arguments.Misuse.self) {
      try Timings("{\"version\":2,\"tests\":[]}", "t.json")
    }
    #expect(
      error?.text == """
        t.json has version 2, and this program reads version 1.
        Measure again: SLEEPLESS_WAITS=t.json swift test
        """)
  }

  @Test func `text that is no timings is named`() {
    let error = #expect(throws: Arguments.Misuse.self) { try Timings("{}", "t.json") }
    #expect(
      error?.text == """
        t.json has no timings that can be read.
        Measure again: SLEEPLESS_WAITS=t.json swift test
        """)
  }
}
