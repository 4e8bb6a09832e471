import Testing

@testable import FindWaits

@Suite struct OutputFormatTests {
  private let report = Report(
    [
      SourceText(
        path: "Tests/A,1.swift",
        text: Sample.test("try await Task.sleep(for: .seconds(1))\nusleep(limit) // 50%"))
    ])

  @Test func `an annotation has the place, the verdict and the line to write`() {
    #expect(
      Annotations.text(of: report) == """
        ::warning file=Tests/A%2C1.swift,line=3,title=Task.sleep 1 s%3A add the trait::\
        example: In a simulation it takes virtual time.%0A\
        Tests/A,1.swift:2: @Test(.simulated) func example() async throws {
        ::warning file=Tests/A%2C1.swift,line=4,title=thread sleep%3A add the trait::\
        example: In a simulation it takes virtual time.%0A\
        Tests/A,1.swift:2: @Test(.simulated) func example() async throws {
        ::notice title=find-waits::1 of 1 test waits: 1 needs only a trait; literal durations: 1 s.

        """)
  }

  @Test func `a file that was not read is an error`() {
    #expect(
      Annotations.text(of: Report("}")).hasPrefix(
        "::error file=Tests/A.swift,line=1,title=find-waits%3A not read::The } here has no partner."
      ))
  }

  @Test func `JSON has the same`() {
    let one = Report(Sample.test("try await Task.sleep(for: .seconds(1))"))
    #expect(
      ReportJSON.text(of: one) == """
        {
          "problems" : [

          ],
          "summary" : {
            "inject" : 0,
            "leave" : 0,
            "line" : 0,
            "seconds" : 1,
            "tests" : 1,
            "timeoutSeconds" : 0,
            "trait" : 1,
            "waiting" : 1
          },
          "tests" : [
            {
              "file" : "Tests/A.swift",
              "framework" : "Swift Testing",
              "line" : 2,
              "seconds" : 1,
              "test" : "example",
              "timeoutSeconds" : 0,
              "verdict" : "add the trait",
              "waits" : [
                {
                  "call" : "Task.sleep",
                  "file" : "Tests/A.swift",
                  "function" : "example",
                  "isTimeout" : false,
                  "kind" : "Task.sleep",
                  "line" : 3,
                  "reason" : "In a simulation it takes virtual time.",
                  "replacements" : [
                    {
                      "file" : "Tests/A.swift",
                      "line" : 2,
                      "text" : "@Test(.simulated) func example() async throws {"
                    }
                  ],
                  "seconds" : 1,
                  "times" : 1,
                  "verdict" : "add the trait"
                }
              ]
            }
          ],
          "version" : 1
        }

        """)
  }
}
