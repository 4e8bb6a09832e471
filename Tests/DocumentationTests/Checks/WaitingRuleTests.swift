import Testing

@Suite struct WaitingRuleTests {
  @Test func `no test and no source waits for time to pass`() throws {
    let files = try ["Sources", "Tests"].flatMap { try TextFile.all(under: $0, ending: ".swift") }
    #expect(!files.isEmpty)
    #expect(files.flatMap(WaitingRule.violations) == [])
  }

  @Test(arguments: [
    "Thread.sleep(forTimeInterval: 1)", "try await Task.sleep(for: .seconds(1))", "usleep(10)",
    "await Task.yield()", "semaphore.wait(timeout: .now() + 1)", "wait(for: [done], timeout: 1)",
    "\"done\"; usleep(10)", "usleep(10)  // real time:", "usleep(10)  // a moment",
  ])
  func `a wait is named with its line`(line: String) {
    #expect(violations(in: "\n  \(line)").map { $0.hasPrefix("T.swift:2: ") } == [true])
  }

  @Test(arguments: [
    "await Task.yield()  // real time: the timeout itself is tested",
    "// real time: the timeout itself is tested\nawait Task.yield()",
  ])
  func `a wait that says why is allowed`(text: String) {
    #expect(violations(in: text) == [])
  }

  @Test func `a file whose waits are simulated says so once`() {
    let code = "\nfunc a() async { await Task.yield() }\nfunc b() async { await Task.yield() }"
    #expect(violations(in: "// virtual time: everything here is simulated" + code) == [])
    #expect(violations(in: "// virtual time:" + code).count == 2)
    #expect(violations(in: "let a = 1  // virtual time: not a line of its own" + code).count == 2)
  }

  @Test func `a reason holds for one line only`() {
    let text = "// real time: the timeout itself is tested\nusleep(1)\nusleep(2)"
    #expect(violations(in: text) == ["T.swift:3: usleep("])
  }

  @Test(arguments: [
    "// replaces Task.sleep", "/// Unlike `Task.sleep`, this", "let text = \"usleep(1)\"",
    "let text = \"\\\"usleep(1)\"", "@Test func `Task.sleep is seen`() {",
    "let program = \"\"\"\n  usleep(1)\n  \"\"\"", "try await clock.sleep(for: .seconds(1))",
  ])
  func `words about waiting are no wait`(text: String) {
    #expect(violations(in: text) == [])
  }

  private func violations(in text: String) -> [String] {
    WaitingRule.violations(in: TextFile(path: "T.swift", text: text))
  }
}
