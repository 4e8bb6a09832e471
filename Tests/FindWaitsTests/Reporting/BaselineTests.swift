import Testing

@testable import FindWaits

@Suite struct BaselineTests {
  private let old = "usleep(1)\nusleep(2)\nawait Task.yield()"

  @Test func `a baseline has a line for each kind of wait in a test`() {
    #expect(
      Baseline(Report(Sample.test(old))).text == """
        # Known waits of find-waits, for --baseline.
        Tests/A.swift: example: Task.yield x 1
        Tests/A.swift: example: thread sleep x 2

        """)
  }

  @Test func `it is read as it was written`() throws {
    let baseline = Baseline(Report(Sample.test(old)))
    #expect(try Baseline(baseline.text, "waits") == baseline)
  }

  @Test(arguments: ["`toast: it goes away`", "`a.swift: b x 2`"])
  func `a test may have a colon in its name`(name: String) throws {
    let text = "import Testing\n@Test func \(name)() { usleep(1) }"
    let baseline = Baseline(Report(text))
    let returns = baseline.text.replacing("\n", with: "\r\n")
    #expect(try Baseline(baseline.text, "waits") == baseline)
    #expect(try Baseline(returns, "waits") == baseline)
  }

  @Test func `one more wait of a test in two branches is new`() {
    let branches = { (more: String) in
      """
      import Testing
      #if os(Linux)
      @Test func a() { usleep(1) }
      #else
      @Test func a() { usleep(1); \(more) }
      #endif
      """
    }
    var report = Report(branches(""))
    report.remove(Baseline(report))
    #expect(report.tests == [])
    report = Report(branches("usleep(2)"))
    report.remove(Baseline(Report(branches(""))))
    #expect(report.places.map(\.line) == [5, 5, 3])
  }

  @Test func `known waits are left out, wherever they have moved`() throws {
    var report = Report("\n\n" + Sample.test("\n" + old))
    report.remove(Baseline(Report(Sample.test(old))))
    #expect(report.tests == [])
    #expect(report.summary == "None of 1 test waits anew.")
    #expect(report.known == 3)
    #expect(report.gone == 0)
  }

  @Test func `one more of a kind shows all of that kind`() {
    var report = Report(Sample.test(old + "\nusleep(3)"))
    report.remove(Baseline(Report(Sample.test(old))))
    #expect(report.places.map(\.line) == [3, 4, 6])
  }

  @Test func `waits that are gone are counted`() {
    var report = Report(Sample.test("usleep(1)"))
    report.remove(Baseline(Report(Sample.test(old))))
    #expect(report.gone == 2)
    #expect(
      ReportText.text(of: report) == """
        None of 1 test waits anew.
        The baseline lists 1 more wait.
        2 waits of the baseline are gone. Write it again: swift package find-waits
        --format baseline

        """)
  }

  @Test(arguments: ["a", "a: b: sleep", "a: b: sleep x two"])
  func `another line is named`(line: String) {
    let error = #expect(throws: Arguments.Misuse.self) { try Baseline("\n" + line, "waits.txt") }
    #expect(
      error?.text == """
        waits.txt:2 is no line of a baseline: \(line)
        Write the file again: swift package find-waits --format baseline > waits.txt
        """)
  }
}
