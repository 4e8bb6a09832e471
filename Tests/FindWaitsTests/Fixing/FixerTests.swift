import Testing

@testable import FindWaits

@Suite struct FixerTests {
  /// A package in memory, in which a test says how long it takes before and after it is changed.
  private final class FakePackage {
    var files: [String: String]
    var printed = ""
    var isReadOnly = false
    /// Someone edits the file of the test with this name while it runs, before it is changed or after that.
    var edited: (name: String, isChanged: Bool)?
    /// What each test does before and after.
    let outcomes: [String: (Fixer.Outcome, Fixer.Outcome)]
    let compiles: ([String: String]) -> String?
    /// How many more runs of unchanged tests fail.
    var failures = 0
    /// The limits of the runs, in their order.
    var limits: [Double] = []

    init(
      _ outcomes: [String: (Fixer.Outcome, Fixer.Outcome)],
      compiles: @escaping ([String: String]) -> String? = { _ in nil }
    ) {
      self.outcomes = outcomes
      self.compiles = compiles
      files = Dictionary(
        uniqueKeysWithValues: outcomes.keys.map { name in
          (
            "\(name).swift",
            "import Testing\n@Test func \(name)() async throws { try await Task.sleep(for: .seconds(1)) }"
          )
        })
    }

    func fix() -> Int32 {
      let report = Report(
        files.sorted { $0.key < $1.key }.map { SourceText(path: $0.key, text: $0.value) })
      let plan = ChangePlan(report)
      var fixer = Fixer(
        plan,
        in: Fixer.Package(
          read: { self.files[$0] },
          write: {
            if self.isReadOnly { throw Denied() }
            self.files[$0] = $1
          },
          build: { self.compiles(self.files) },
          test: { filter, limit in
            self.limits.append(limit)
            let name = self.outcomes.keys.first { filter.contains($0) }!
            let outcomes = self.outcomes[name]!
            let isChanged = self.files["\(name).swift"]!.contains(".simulated")
            if let edited = self.edited, edited == (name, isChanged) {
              self.files["\(name).swift"]! += "  // mine"
            }
            if !isChanged, self.failures > 0 {
              self.failures -= 1
              return Fixer.Outcome(passes: false, seconds: 0)
            }
            return isChanged ? outcomes.1 : outcomes.0
          }, print: { self.printed += $0 })
      )
      return fixer.fix()
    }

    func isFixed(_ name: String) -> Bool { files["\(name).swift"]!.contains("@Test(.simulated)") }
  }

  private struct Denied: Error {}

  private let slow = Fixer.Outcome(passes: true, seconds: 1)
  private let quick = Fixer.Outcome(passes: true, seconds: 0.01)
  private let failing = Fixer.Outcome(passes: false, seconds: 0)

  @Test func `a test that does not end is stopped, and its change is taken back`() {
    let package = FakePackage(["a": (slow, .stopped(after: 62))])
    #expect(package.fix() == 0)
    #expect(package.limits == [600, 62])
    #expect(!package.isFixed("a"))
    #expect(
      package.printed.hasSuffix(
        """
        taken back  a: it fails in a simulation
                    it had not ended after 62 s
        0 of 1 changes stay.

        """), "\(package.printed)")
  }

  @Test func `a test that does not end before its change is run once and not changed`() {
    let package = FakePackage(["a": (.stopped(after: 600), quick)])
    #expect(package.fix() == 0)
    #expect(package.limits == [600])
    #expect(!package.isFixed("a"))
  }

  @Test func `a command that takes longer than its limit is stopped`() {
    // real time: the first command waits for lines that never come, for the 20 ms of its limit
    let stopped = SwiftCommand.run(["tail", "-f", "/dev/null"], atMost: 0.01, grace: 0.01)
    #expect(stopped.status == nil)
    let ended = SwiftCommand.run(["sh", "-c", "echo begun; exit 3"], atMost: 600)
    #expect(ended == (3, "begun\n"))
  }

  @Test func `a change that helps stays`() {
    let package = FakePackage(["a": (slow, quick)])
    #expect(package.fix() == 0)
    #expect(package.isFixed("a"))
    #expect(package.files["a.swift"]!.contains("import SleeplessTesting\n"))
    #expect(
      package.printed.hasSuffix(
        "fixed       a: 1 s, now 10 ms\n1 of 1 changes stay: 1 s before, 10 ms now.\n"))
  }

  @Test func `a change after which its test fails is taken back, with its import`() {
    let package = FakePackage(["a": (slow, quick), "b": (slow, failing)])
    let before = package.files["b.swift"]
    #expect(package.fix() == 0)
    #expect(package.isFixed("a"))
    #expect(package.files["b.swift"] == before)
    #expect(
      package.printed.hasSuffix(
        """
        fixed       a: 1 s, now 10 ms
        taken back  b: it fails in a simulation
        1 of 2 changes stay: 1 s before, 10 ms now.

        """))
  }

  @Test func `a change after which its test takes longer is taken back`() {
    let package = FakePackage(["a": (quick, slow)])
    #expect(package.fix() == 0)
    #expect(!package.isFixed("a"))
    #expect(
      package.printed.hasSuffix(
        "taken back  a: it takes longer: 1 s, 10 ms before\n0 of 1 changes stay.\n"))
  }

  @Test func `a test that fails before is not changed`() {
    let package = FakePackage(["a": (failing, quick)])
    #expect(package.fix() == 0)
    #expect(!package.isFixed("a"))
    #expect(
      package.printed.hasSuffix("taken back  a: it fails before the change\n0 of 1 changes stay.\n")
    )
  }

  @Test(arguments: [(2, true), (3, false)])
  func `a test that passes in one of three runs before is changed`(failures: Int, isFixed: Bool) {
    let package = FakePackage(["a": (slow, quick)])
    package.failures = failures
    #expect(package.fix() == 0)
    #expect(package.isFixed("a") == isFixed)
  }

  @Test func `a change that does not compile is taken back`() {
    let package = FakePackage(["a": (slow, quick), "b": (slow, quick)]) { files in
      files["b.swift"]!.contains(".simulated") ? "/w/b.swift:2:3: error: no" : nil
    }
    #expect(package.fix() == 0)
    #expect(package.isFixed("a"))
    #expect(!package.isFixed("b"))
    #expect(package.printed.contains("taken back  b: it does not compile\n"))
  }

  @Test func `all changes are taken back if the compiler names no file of them`() {
    let package = FakePackage(["a": (slow, quick)]) { files in
      files["a.swift"]!.contains(".simulated") ? "note: x\nerror: no such module\n" : nil
    }
    #expect(package.fix() == 0)
    #expect(!package.isFixed("a"))
    #expect(
      package.printed.hasSuffix(
        """
        error: no such module
        taken back  a: it does not compile
        0 of 1 changes stay.

        """))
  }

  @Test func `a change with a warning stays if another one does not compile`() {
    let package = FakePackage(["a": (slow, quick), "b": (slow, quick)]) { files in
      files["b.swift"]!.contains(".simulated")
        ? "/w/a.swift:1:1: warning: w\n/w/b.swift:2:3: error: no" : nil
    }
    #expect(package.fix() == 0)
    #expect(package.isFixed("a"))
    #expect(!package.isFixed("b"))
  }

  @Test func `a file that someone edits is not written again, and the change to undo is named`() {
    let package = FakePackage(["a": (slow, quick), "b": (slow, failing)])
    package.edited = ("b", true)
    #expect(package.fix() == 0)
    #expect(package.isFixed("b"))
    #expect(package.files["b.swift"]!.hasSuffix("}  // mine"))
    #expect(
      package.printed.hasSuffix(
        """
        fixed       a: 1 s, now 10 ms
        to undo     b: it fails in a simulation; b.swift was edited meanwhile
        1 of 2 changes stay: 1 s before, 10 ms now.

        """))
  }

  @Test func `a file that someone edits before it is changed is left alone`() {
    let package = FakePackage(["a": (slow, quick), "b": (slow, quick)])
    package.edited = ("b", false)
    let before = package.files["b.swift"]!
    #expect(package.fix() == 0)
    #expect(package.isFixed("a"))
    #expect(package.files["b.swift"] == before + "  // mine")
    #expect(
      package.printed.hasSuffix(
        """
        fixed       a: 1 s, now 10 ms
        left alone  b: b.swift was edited meanwhile
        1 of 2 changes stay: 1 s before, 10 ms now.

        """))
  }

  @Test func `a file that someone edits keeps the edit beside a change that stays`() {
    let package = FakePackage(["a": (slow, quick)])
    package.edited = ("a", true)
    #expect(package.fix() == 0)
    #expect(package.isFixed("a"))
    #expect(package.files["a.swift"]!.hasSuffix("}  // mine"))
    #expect(package.printed.contains("fixed       a: 1 s, now 10 ms\n1 of 1 changes stay"))
  }

  @Test func `a file that cannot be written is named`() {
    let package = FakePackage(["a": (slow, quick)])
    package.isReadOnly = true
    #expect(package.fix() == 2)
    #expect(!package.isFixed("a"))
    #expect(
      package.printed.hasSuffix(
        """
        a.swift cannot be written: Denied(). Allow that: swift package --allow-writing-to-package-directory \
        find-waits --fix. Files that were written before stay changed.

        """))
  }

  @Test func `a package that does not build is not changed`() {
    let package = FakePackage(["a": (slow, quick)]) { _ in "a.swift:1:1: error: no\n" }
    let before = package.files
    #expect(package.fix() == 2)
    #expect(package.files == before)
    #expect(
      package.printed.hasSuffix(
        """
        a.swift:1:1: error: no
        The package does not build. Correct that first; nothing was changed.

        """))
  }

  @Test(arguments: [
    (
      "/p/A.swift:7: error: ATests.testA : XCTAssertEqual failed: (\"1\") is not equal to (\"2\") -",
      "XCTAssertEqual failed: (\"1\") is not equal to (\"2\") -"
    ),
    ("✘ Test a() recorded an issue at A.swift:7:3: Expectation failed: x", "Expectation failed: x"),
    (
      "✘ Test a(n:) recorded an issue with 1 argument n → 1 at A.swift:7:3: no",
      "no"
    ),
    ("✘ Test a() recorded an issue at A.swift:7:3: Issue recorded\n↳ one\n↳ two", "one"),
    ("Exited with unexpected signal code 11", nil),
  ])
  func `the first failure of a run is read`(output: String, failure: String?) {
    let ran = "Executed 1 test, with 1 failure (0 unexpected) in 0.1 (0.1) seconds"
    #expect(SwiftCommand.outcome(1, "\(output)\n\(ran)").failure == failure)
  }

  @Test func `a filter that matches no test is a failure that says so`() {
    let output = "Executed 0 tests, with 0 failures in 0.0 (0.0) seconds"
    #expect(SwiftCommand.outcome(0, output).failure == "no test of that name runs here")
  }

  @Test func `a change that is taken back comes with the failure`() {
    let package = FakePackage([
      "a": (slow, Fixer.Outcome(passes: false, seconds: 0, failure: "2 tasks are left over."))
    ])
    #expect(package.fix() == 0)
    #expect(
      package.printed.hasSuffix(
        """
        taken back  a: it fails in a simulation
                    2 tasks are left over.
        0 of 1 changes stay.

        """))
  }

  @Test func `what was run is read from both frameworks`() {
    let output = """
      \t Executed 2 tests, with 0 failures (0 unexpected) in 0.435 (0.435) seconds
      Test run with 1 test in 1 suite passed after 0.3 seconds.
      """
    #expect(SwiftCommand.outcome(0, output) == Fixer.Outcome(passes: true, seconds: 0.735))
    #expect(!SwiftCommand.outcome(1, output).passes)
    #expect(
      !SwiftCommand.outcome(0, "Executed 0 tests, with 0 failures in 0.0 (0.0) seconds").passes)
  }
}
