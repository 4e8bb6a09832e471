import Testing

@testable import FindWaits

/// Each kind of wait is found where it is code, and nowhere else.
@Suite struct WaitPatternTests {
  static let patterns = [
    ("try await Task.sleep(for: .seconds(1.5))", "Task.sleep 1.5 s"),
    ("try await Task.sleep(nanoseconds: 500_000_000)", "Task.sleep 0.5 s"),
    ("try? await Task<Never, Never>.sleep(nanoseconds: 2 * NSEC_PER_SEC)", "Task.sleep 2 s"),
    (
      "try await Task.sleep(until: .now + .milliseconds(50), clock: .continuous)",
      "Task.sleep 50 ms"
    ),
    ("try await ContinuousClock().sleep(for: .seconds(1))", "clock sleep 1 s"),
    (
      "let clock = SuspendingClock(); try await clock.sleep(until: clock.now + .seconds(2))",
      "clock sleep 2 s"
    ),
    ("Thread.sleep(forTimeInterval: 0.25)", "thread sleep 0.25 s"),
    ("Foundation.Thread.sleep(until: Date() + 1)", "thread sleep 1 s"),
    ("sleep(2)", "thread sleep 2 s"), ("usleep(100_000)", "thread sleep 0.1 s"),
    ("nanosleep(&time, nil)", "thread sleep"),
    ("wait(for: [done], timeout: 5)", "expectation 5 s"),
    ("self.wait(for: [done])", "expectation"),
    ("_ = XCTWaiter.wait(for: [done], timeout: 1)", "expectation 1 s"),
    ("waitForExpectations(timeout: 3)", "expectation 3 s"),
    ("await fulfillment(of: [done], timeout: 2)", "expectation 2 s"),
    (
      "let none = expectation(description: \"\"); none.isInverted = true; wait(for: [none], timeout: 1)",
      "inverted expectation 1 s"
    ),
    ("let lock = DispatchSemaphore(value: 0); lock.wait()", "semaphore"),
    ("_ = done.wait(timeout: .now() + .seconds(2))", "semaphore 2 s"),
    ("let group = DispatchGroup(); group.wait()", "dispatch group"),
    ("let condition = NSCondition(); condition.wait(until: Date() + 1)", "condition variable 1 s"),
    ("RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.1))", "run loop 0.1 s"),
    ("RunLoop.main.run(mode: .default, before: Date().addingTimeInterval(1))", "run loop 1 s"),
    (
      "while !model.isLoaded { try await Task.sleep(for: .milliseconds(10)) }", "polling loop 10 ms"
    ),
    ("repeat { usleep(1000) } while isBusy", "polling loop 1 ms"),
    ("for _ in 0..<9 { if isDone { break }; await Task.yield() }", "polling loop"),
    ("while !isDone {}", "spinning loop"), ("await Task.yield()", "Task.yield"),
    ("expect(a).toEventually(equal(1), timeout: .seconds(2))", "polled expectation 2 s"),
    ("waitUntil { done in done() }", "polled expectation"),
    ("let all = try source.toBlocking(timeout: 1).toArray()", "blocking sequence 1 s"),
    ("queue.waitUntilAllOperationsAreFinished()", "wait for work"),
    ("queue.addOperations([a, b], waitUntilFinished: true)", "wait for work"),
    ("XCTAssert(app.buttons[\"a\"].waitForExistence(timeout: 3))", "user interface 3 s"),
  ]

  @Test(arguments: patterns) func `a wait is found`(code: String, summary: String) {
    #expect(summaries(Sample.test(code)) == [summary])
  }

  @Test(arguments: patterns) func `a wait in an XCTest is found`(code: String, summary: String) {
    #expect(summaries(Sample.testCase(code)) == [summary])
  }

  @Test(arguments: patterns) func `a wait in an interpolation is found`(
    code: String, summary: String
  ) {
    guard !code.contains("{}") else { return }
    #expect(summaries(Sample.test("print(\"\\(f { \(code) })\")")) == [summary])
  }

  @Test(arguments: patterns) func `a wait in a comment is none`(code: String, summary: String) {
    #expect(summaries(Sample.test("// \(code)")) == [])
    #expect(summaries(Sample.test("/* /* */ \(code) */")) == [])
  }

  @Test(arguments: patterns) func `a wait in a string is none`(code: String, summary: String) {
    #expect(summaries(Sample.test("let text = \"\"\"\n\(code)\n\"\"\"")) == [])
    #expect(summaries(Sample.test("let text = ##\"\(code)\"##")) == [])
  }

  @Test(arguments: patterns) func `a wait that is not compiled is none`(
    code: String, summary: String
  ) {
    #expect(summaries(Sample.test("#if false\n\(code)\n#endif")) == [])
  }

  @Test(arguments: patterns) func `a wait in a simulation is none`(code: String, summary: String) {
    #expect(summaries(Sample.test(code, traits: "(.simulated)")) == [])
    #expect(summaries(Sample.test(code, traits: "(\"name\", .explored(seed: 1))")) == [])
    #expect(summaries(Sample.testCase(code, base: "SimulatedTestCase")) == [])
    #expect(summaries(Sample.testCase(code, base: "ExploredTestCase")) == [])
    #expect(summaries(Sample.test("try await simulate(time: .manual) { \(code) }")) == [])
  }

  @Test(arguments: [
    "try await clock.sleep(for: .seconds(1))", "await semaphore.wait()", "server.wait()",
    "scheduler.run()", "model.sleep(1)", "await eventually { isDone }", "let sleep = 1",
    "func usleep() {}", "TestClock().sleep(for: .seconds(1))", "stream.yield(1)",
    "while let next = list.next() {}", "lock.lock()", "queue.run(until: end)",
  ])
  func `a word that looks like a wait is none`(code: String) {
    #expect(summaries(Sample.test(code)) == [])
  }

  @Test func `a delayed call and a timer count if something waits`() {
    let call = "DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) { done.fulfill() }"
    let timer = "Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in done.fulfill() }"
    #expect(summaries(Sample.testCase(call, effects: "")) == [])
    #expect(summaries(Sample.testCase(call)) == ["asyncAfter 0.3 s"])
    #expect(
      summaries(Sample.testCase(call + "; " + timer + "; wait(for: [done], timeout: 1)"))
        == ["asyncAfter 0.3 s", "timer 1 s", "expectation 1 s"])
  }

  @Test func `a sleep before a failure is a limit`() throws {
    let code = "Task {\n  try await Task.sleep(for: .seconds(30))\n  XCTFail(\"too late\")\n}"
    let place = try #require(Report(Sample.testCase(code)).places.first)
    #expect(place.isLimit)
  }

  @Test func `a loop with literal bounds multiplies`() throws {
    let code = "for _ in 0..<3 { for _ in 1...2 { usleep(1000) } }"
    let test = try #require(Report(Sample.test(code)).tests.first)
    #expect(test.places.map(\.times) == [6])
    #expect(test.seconds.secondsText == "6 ms")
  }

  @Test(arguments: [
    ("for _ in 0..<1_000 { usleep(1) }", 1000),
    ("for _ in 0...9223372036854775807 { usleep(1) }", .max),
    ("for _ in 0..<10000000000 { for _ in 0..<10000000000 { usleep(1) } }", .max),
    ("for _ in 3...1 { usleep(1) }", 0), ("for _ in 0..<99999999999999999999 { usleep(1) }", 1),
  ])
  func `a loop may have as many turns as a number can say`(code: String, times: Int) throws {
    let place = try #require(Report(Sample.test(code)).places.first)
    #expect(place.times == times)
    #expect(!ReportJSON.text(of: Report(Sample.test(code + "; usleep(1e300)"))).isEmpty)
  }

  @Test(arguments: [
    "let body: Void = repeat { usleep(100) } while", "let a = while { sleep(1) }",
    "let body: Void = repeat { sleep(1) } while try", "let body: Void = for { sleep(1) }",
    "let body: Void = repeat { sleep(1) } while a &&", "let", "let a",
  ])
  func `a file may end anywhere`(text: String) {
    #expect(summaries("import XCTest\n" + text) == [])
  }

  private func summaries(_ text: String) -> [String] { Report(text).places.map(\.summary) }
}
