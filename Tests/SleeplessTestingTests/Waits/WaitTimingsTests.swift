import Foundation
import Testing

import SleeplessTesting

@Suite struct WaitTimingsTests {
  private func timings(_ name: String, run: String) -> WaitTimings {
    WaitTimings(
      WaitSummary(
        .run(
          [.test(name, 0, 2)],
          [
            .wait(.taskSleep, 0, 1.5, line: 3, test: 0),
            .wait(.group, 4, 4.5, line: 7, test: nil),
          ])),
      run: run)
  }

  @Test func `the JSON has each test with its waits, and the waits without a test`() throws {
    #expect(
      try timings("ATests.testA", run: "1-2").text(after: nil) == """
        {
          "run" : "1-2",
          "tests" : [
            {
              "file" : "Tests/A.swift",
              "framework" : "Swift Testing",
              "line" : 1,
              "seconds" : 2,
              "test" : "ATests.testA",
              "waited" : 1.5,
              "waits" : [
                {
                  "count" : 1,
                  "file" : "Tests/A.swift",
                  "function" : "wait()",
                  "kind" : "Task.sleep",
                  "line" : 3,
                  "seconds" : 1.5
                }
              ]
            }
          ],
          "unfinished" : [

          ],
          "version" : 1,
          "withoutTest" : [
            {
              "count" : 1,
              "file" : "Tests/A.swift",
              "function" : "wait()",
              "kind" : "dispatch group",
              "line" : 7,
              "seconds" : 0.5
            }
          ]
        }

        """)
  }

  @Test func `a process of the same run adds its tests`() throws {
    let first = try timings("a", run: "1-2").text(after: nil)
    let both = try timings("b", run: "1-2").text(after: Data(first.utf8))
    #expect(try names(both) == ["a", "b"])
  }

  @Test func `another run begins the file anew, and so does a file of another kind`() throws {
    let first = try timings("a", run: "1-2").text(after: nil)
    #expect(try names(timings("b", run: "1-3").text(after: Data(first.utf8))) == ["b"])
    #expect(try names(timings("b", run: "1-2").text(after: Data("no JSON".utf8))) == ["b"])
  }

  private func names(_ text: String) throws -> [String] {
    try JSONDecoder().decode(WaitTimings.self, from: Data(text.utf8)).tests.map(\.test)
  }
}
