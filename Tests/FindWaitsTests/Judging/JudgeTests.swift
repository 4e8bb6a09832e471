import Testing

@testable import FindWaits

/// What is said of a place: the verdict, and the lines to write.
@Suite struct JudgeTests {
  @Test(arguments: [
    ("@Test func a() {", "@Test(.simulated) func a() {"),
    ("@Test() func a() {", "@Test(.simulated) func a() {"),
    ("@Test(\"a b\") func a() {", "@Test(\"a b\", .simulated) func a() {"),
    (
      "@Test(\"a\", arguments: [1]) func a(b: Int) {",
      "@Test(\"a\", .simulated, arguments: [1]) func a(b: Int) {"
    ),
    ("@Test(.serialized) func a() {", "@Test(.simulated, .serialized) func a() {"),
    (
      "@MainActor @Test(arguments: [1]) func a(b: Int) {",
      "@MainActor @Test(.simulated, arguments: [1]) func a(b: Int) {"
    ),
  ])
  func `a test of Swift Testing that sleeps needs the trait`(head: String, line: String) {
    #expect(judged("import Testing\n\(head)\nusleep(1000)\n}") == ["add the trait", "2 \(line)"])
  }

  @Test(arguments: [
    ("final class A: XCTestCase {", "final class A: SimulatedTestCase {"),
    ("class A: XCTestCase, B {", "class A: SimulatedTestCase, B {"),
    ("class A: XCTest.XCTestCase {", "class A: XCTest.SimulatedTestCase {"),
  ])
  func `a test case that sleeps needs the base class`(head: String, line: String) {
    let text = "import XCTest\n\(head)\n  func testA() {\n    usleep(1000)\n  }\n}"
    #expect(judged(text) == ["add the trait", "2 \(line)"])
  }

  @Test func `the base class that is a test case itself changes`() {
    let text = """
      import XCTest
      class Base: XCTestCase {}
      class ATests: Base {
        func testA() { usleep(1000) }
      }
      """
    #expect(judged(text) == ["add the trait", "2 class Base: SimulatedTestCase {}"])
  }

  @Test func `a protocol that asks for the class does not change`() {
    let text = """
      import XCTest
      protocol Seeded: XCTestCase {}
      class SeedCase: XCTestCase {}
      class SeedTests: SeedCase, Seeded {
        func testA() { usleep(1000) }
      }
      """
    #expect(judged(text) == ["add the trait", "3 class SeedCase: SimulatedTestCase {}"])
  }

  @Test func `a base class of another package needs simulate`() {
    let text = "import XCTest\nclass ATests: OtherTestCase {\n  func testA() { usleep(1000) }\n}"
    #expect(judged(text) == ["change a line", "3 try await simulate { /* its body */ }"])
  }

  @Test(arguments: [
    ("wait(for: [a, b], timeout: 1)", "await fulfillment(of: [a, b], timeout: 1)"),
    (
      "let end = XCTWaiter.wait(for: [a], timeout: 1)",
      "let end = await XCTWaiter.fulfillment(of: [a], timeout: 1)"
    ),
    (
      "XCTWaiter(delegate: self).wait(for: [a], timeout: 1)",
      "await XCTWaiter(delegate: self).fulfillment(of: [a], timeout: 1)"
    ),
  ])
  func `an asynchronous XCTest needs a line for what blocks its thread`(code: String, line: String)
  {
    #expect(
      judged(Sample.testCase(code)) == [
        "change a line", "4 \(line)", "2 final class ExampleTests: SimulatedTestCase {",
      ])
  }

  @Test func `a wait for all expectations names them`() {
    let code = "let a = expectation(description: \"a\"); waitForExpectations(timeout: limit)"
    #expect(
      judged(Sample.testCase(code))[1]
        == "4 let a = expectation(description: \"a\"); await fulfillment(of: [a], timeout: limit)")
  }

  @Test func `a wait for all expectations names those since the wait before`() {
    let code = """
      let a = expectation(description: "a")
      waitForExpectations(timeout: 1)
      let b: XCTestExpectation = self.expectation(description: "b")
      waitForExpectations(timeout: 2, handler: nil)
      """
    let places = Report(Sample.testCase(code)).places
    #expect(
      places.map { $0.replacements[0].text } == [
        "await fulfillment(of: [a], timeout: 1)", "await fulfillment(of: [b], timeout: 2)",
      ])
  }

  @Test(arguments: [
    "keyValueObservingExpectation(for: a, keyPath: \"b\") { _, _ in true }; waitForExpectations(timeout: 1)",
    "let a = XCTestExpectation(); waitForExpectations(timeout: 1)",
    "let a = [expectation(description: \"\")]; waitForExpectations(timeout: 1)",
    "if b { let a = expectation(description: \"\") }; waitForExpectations(timeout: 1)",
    "let a = expectation(description: \"\"); waitForExpectations(timeout: 1) { error in b(error) }",
    "let a = expectation(description: \"\"); waitForExpectations(timeout: 1, handler: b)",
    "subscribe(expectation(description: \"\")); waitForExpectations(timeout: 1)",
    "XCTWaiter().wait(for: a.map(\\.b), timeout: 1)",
  ])
  func `a wait for expectations without names, or with a handler, has no line`(code: String) {
    let place = Report(Sample.testCase(code)).places.first
    #expect(
      place?.reason == "A synchronous wait in a task takes real time. "
        + "Write await fulfillment(of:timeout:) with each expectation.")
    #expect(
      place?.replacements.map(\.text) == ["final class ExampleTests: SimulatedTestCase {"])
  }

  @Test(arguments: [
    "_ = s.wait(timeout: .now() + 2)", "_ = g.wait(timeout: .now() + 5)", "usleep(delay)",
    "Thread.sleep(forTimeInterval: 0.5)",
  ])
  func `what blocks a thread needs only the trait`(code: String) {
    let inTestCase = ["add the trait", "2 final class ExampleTests: SimulatedTestCase {"]
    #expect(judged(Sample.testCase(code, effects: "")) == inTestCase)
    #expect(judged(Sample.testCase(code)) == inTestCase)
    #expect(judged(Sample.test(code))[0] == "add the trait")
  }

  @Test func `a synchronous wait for expectations needs only the trait`() {
    #expect(judged(Sample.testCase("wait(for: [a])", effects: ""))[0] == "add the trait")
  }

  @Test(arguments: [
    ("await Task.yield()", "await settle()"),
    ("for _ in 0..<9 { await Task.yield() }", "for _ in 0..<9 { await settle() }"),
    ("while !model.isLoaded { await Task.yield() }", "await eventually { model.isLoaded }"),
    ("while isBusy { await Task.yield() }", "await eventually { !isBusy }"),
    (
      "while a.count < 3 && Date() < end { await Task.yield() }",
      "await eventually { a.count >= 3 }"
    ),
    ("while !(a || b) { await Task.yield() }", "await eventually { a || b }"),
    ("while a || b { await Task.yield() }", "await eventually { !(a || b) }"),
    ("while await !a.b { await Task.yield() }", "await eventually { await a.b }"),
    ("repeat { await Task.yield() } while !isDone", "await eventually { isDone }"),
    ("while true { if isDone { break }; await Task.yield() }", "await eventually { isDone }"),
    ("await expect(a).toEventually(equal(1))", "await eventually { a == 1 }"),
    ("expect(a.b).toEventuallyNot(beNil())", "await eventually { a.b != nil }"),
    ("expect { a.b }.toEventually(beFalse())", "await eventually { !(a.b) }"),
    ("expect(a).toNever(beTrue(), until: .seconds(2))", "await never(during: .seconds(2)) { a }"),
    (
      "expect(a).toEventually(haveCount(2))",
      "await eventually(asserting: \"the expectation holds\") { expect(a).to(haveCount(2)) }"
    ),
  ])
  func `a number of yields and a poll become a wait for events`(code: String, line: String) {
    #expect(judged(Sample.test(code)) == ["change a line", "3 \(line)"])
  }

  @Test(arguments: [
    ("a?.b", "beTrue()", "a?.b == true"), ("a?.b", "beFalse()", "a?.b == false"),
    ("a + b", "beEmpty()", "(a + b).isEmpty"), ("a?.b", "beEmpty()", "a?.b.isEmpty == true"),
    ("try? a", "beEmpty()", "(try? a)?.isEmpty == true"),
    ("a > 3", "equal(true)", "(a > 3) == true"),
    ("a ? b : c", "beTrue()", "a ? b : c"), ("a as? Bool", "beTrue()", "(a as? Bool) == true"),
    ("a", "equal(b == c)", "a == (b == c)"), ("a", "equal(-1)", "a == -1"),
    ("a[0]", "equal(.b)", "a[0] == .b"), ("a - b", "beGreaterThan(c)", "(a - b) > c"),
    ("await a.b", "beEmpty()", "await a.b.isEmpty"),
    ("await a + b", "beNil()", "await (a + b) == nil"),
  ])
  func `the line has what the matcher means`(value: String, matcher: String, line: String) {
    let text = Sample.test("expect(\(value)).toEventually(\(matcher))")
    #expect(judged(text) == ["change a line", "3 await eventually { \(line) }"])
  }

  @Test(arguments: [
    ("expect(a?.b).toEventuallyNot(beTrue())", "a?.b == false"),
    ("expect(a).toEventuallyNot(beEmpty())", "!a.isEmpty"),
    ("expect(a?.b).toEventuallyNot(beEmpty())", "a?.b.isEmpty == false"),
  ])
  func `nil is neither true nor false, and neither empty nor full`(code: String, line: String) {
    #expect(judged(Sample.test(code))[1] == "3 await eventually { \(line) }")
  }

  @Test(arguments: [
    ("equal(1), timeout: .seconds(60)", "(within: .seconds(60)) { a == 1 }"),
    ("equal(1), timeout: .milliseconds(n)", "(within: .milliseconds(n)) { a == 1 }"),
    (
      "haveCount(2), timeout: 5",
      "(asserting: \"the expectation holds\", within: .seconds(5)) { expect(a).to(haveCount(2)) }"
    ),
  ])
  func `the line has the time limit`(arguments: String, line: String) {
    let text = Sample.test("expect(a).toEventually(\(arguments))")
    #expect(judged(text) == ["change a line", "3 await eventually\(line)"])
  }

  @Test(arguments: [
    "expect(a).toEventually(equal(1), timeout: limit)", "expect(a).toNever(beTrue(), until: limit)",
    "expect { a(); b }.toNever(beTrue())", "expect { await a }.toEventually(haveCount(2))",
  ])
  func `a polled expectation that the source does not tell has no line`(code: String) {
    #expect(judged(Sample.test(code)) == ["change a line"])
  }

  @Test(arguments: [
    ("!(a || b) && !c", "(a || b) || c"), ("a && !b.c(d)", "!a || b.c(d)"),
    ("a === b", "!(a === b)"), ("a is B", "!(a is B)"), ("f(a == b)", "!f(a == b)"),
    ("a ?? b", "!(a ?? b)"), ("!a ?? b", "!(!a ?? b)"), ("a.b == c ?? 0", "a.b != c ?? 0"),
    ("(a ? b : c)", "!(a ? b : c)"), ("a[0].b", "!a[0].b"), ("!a!.b", "a!.b"),
    ("try await a.b()", "try await !a.b()"), ("await a && Date() < end", "await !a"),
  ])
  func `the line has the opposite of the loop's condition`(condition: String, opposite: String) {
    let text = Sample.test("while \(condition) { await Task.yield() }")
    #expect(judged(text) == ["change a line", "3 await eventually { \(opposite) }"])
  }

  @Test(arguments: [
    "while model.isRunning, !model.isDone { PAUSE }", "while !a, !b { PAUSE }",
    "while case .loading = s { PAUSE }", "while let a = b { PAUSE }",
    "while !isDone && isSlow || isBusy { PAUSE }", "while a == b ? c : d { PAUSE }",
    "while try? a { PAUSE }", "while await Date() < end && a { PAUSE }",
    "while #available(macOS 14, *) { PAUSE }",
    "while true { if Date() > end { Issue.record(\"\"); return }; if a { break }; PAUSE }",
    "while true { if model.failed { throw b }; if a { break }; PAUSE }",
    "while true { if Date() > end { break }; PAUSE }",
    "while true { if a { return }; PAUSE }", "while true { if let a { break }; PAUSE }",
    "while true { if a { break } else { b() }; PAUSE }",
    "while !machine.isDone { machine.step(); PAUSE }", "while !a { if b { break }; PAUSE }",
    "for a in b { if a.c { break }; PAUSE }", "for _ in a where b { if c { break }; PAUSE }",
    "outer: while !a { PAUSE }", "repeat { a(); PAUSE } while !b",
  ])
  func `a loop that does more than to wait for a condition has no line`(code: String) {
    let text = Sample.test(code.replacing("PAUSE", with: "await Task.yield()"))
    #expect(judged(text) == ["change a line"])
    #expect(
      Report(text).places.first?.reason
        == "eventually wakes on events and does not poll. "
        + "Write await eventually { } with the condition that ends the loop.")
  }

  @Test func `two pauses of a loop become one line`() {
    let text = Sample.test("while !a {\n  await Task.yield()\n  await Task.yield()\n}")
    #expect(judged(text) == ["change a line", "4 await eventually { a }"])
  }

  @Test(arguments: [
    (
      "DispatchQueue.main.asyncAfter(deadline: .now() + 1) { a.fulfill() }; wait(for: [a])",
      "scheduler.asyncAfter(deadline: .now() + 1) { a.fulfill() }; wait(for: [a])"
    ),
    (
      "Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in b() }; wait(for: [a])",
      "scheduler.schedule(every: .seconds(1)) { b() }; wait(for: [a])"
    ),
    (
      "RunLoop.main.run(until: Date() + 0.5)", "scheduler.advance(by: .milliseconds(500))"
    ),
    (
      "queue.async { b() }; try await Task.sleep(for: d)",
      "queue.async { b() }; await scheduler.advance(by: d)"
    ),
    (
      "queue.async { b() }; Thread.sleep(until: .now + d)",
      "queue.async { b() }; scheduler.advance(by: .seconds(d))"
    ),
    (
      "let _ = RunLoop.main.run(mode: .default, before: Date() + 1)",
      "scheduler.advance(by: .seconds(1))"
    ),
    ("RunLoop.main.run(until: Date() + d)", "scheduler.advance(by: .seconds(d))"),
  ])
  func `what runs on queues and timers is injected`(code: String, line: String) {
    #expect(judged(Sample.test(code)).prefix(2) == ["inject", "3 \(line)"])
  }

  @Test(arguments: [
    ("[weak self] _ in self?.b()", "[weak self] in self?.b()"), ("timer in b()", "b()"),
    ("[a] timer in a.b()", "[a] in a.b()"),
    ("_ in _ = b()", "_ = b()"),
  ])
  func `a timer's closure loses its parameter alone`(closure: String, new: String) {
    let call =
      "Timer.scheduledTimer(withTimeInterval: d, repeats: false) { \(closure) }; wait(for: [a])"
    #expect(
      judged(Sample.test(call)) == [
        "inject", "3 scheduler.schedule(after: .seconds(d)) { \(new) }; wait(for: [a])",
      ])
  }

  @Test(arguments: [
    "repeats: false) { timer in timer.invalidate() }", "repeats: isRepeating) { _ in b() }",
    "repeats: false) { $0.invalidate() }", "repeats: !false) { _ in b() }",
    "repeats: false) { (timer: Timer) in b() }", "repeats: false, block: { _ in b() })",
  ])
  func `a timer that is used, or that may repeat, has no line`(rest: String) throws {
    let call = "Timer.scheduledTimer(withTimeInterval: 1, \(rest)"
    let place = try #require(Report(Sample.test(call + "; wait(for: [a])")).places.first)
    #expect(place.replacements == [])
    #expect(place.reason.hasSuffix(". Write scheduler.schedule(after:) or schedule(every:)."))
  }

  @Test(arguments: ["timer = TIMER; ", "timer =\nTIMER; ", "f { TIMER }; ", "return TIMER; "])
  func `a timer that is kept has no line`(code: String) throws {
    let call = "Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in b() }"
    let text = code.replacing("TIMER", with: call) + "wait(for: [a])"
    let place = try #require(Report(Sample.test(text)).places.first)
    #expect(place.replacements == [])
  }

  @Test(arguments: [
    "let a = RunLoop.main.run(mode: .default, before: Date() + 1)",
    "if RunLoop.main.run(mode: .default, before: Date() + 1) { b() }",
    "RunLoop.main.run(mode: .default, before: .distantFuture)", "RunLoop.main.run(until: end)",
    "queue.async { b() }; try await Task.sleep(until: end)",
    "while !isDone { RunLoop.main.run(until: end) }",
  ])
  func `a wait whose duration is not known, or whose value is used, has no line`(code: String)
    throws
  {
    let place = try #require(Report(Sample.test(code)).places.first)
    #expect(place.verdict == .inject)
    #expect(place.replacements == [])
    #expect(place.reason.hasSuffix(". Write scheduler.advance(by:) with the duration."))
  }

  @Test func `a loop that runs a run loop is injected`() {
    let code = "while !isDone { RunLoop.main.run(until: Date() + 1) }"
    #expect(
      judged(Sample.testCase(code, effects: "")) == [
        "inject", "4 while !isDone { scheduler.advance(by: .seconds(1)) }",
      ])
  }

  @Test(arguments: [
    ("RunLoop.main.run(until: Date() + 1)", "it runs a run loop."),
    (
      "OperationQueue().addOperation { a.fulfill() }; wait(for: [a])",
      "it uses an operation queue (Tests/A.swift:4)."
    ),
    (
      "Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in b() }; wait(for: [a])",
      "it uses Timer (Tests/A.swift:4)."
    ),
  ])
  func `queues, timers and run loops are what simulations control on Linux`(
    code: String, reason: String
  ) throws {
    let text = SourceText(path: "Tests/A.swift", text: Sample.testCase(code, effects: ""))
    let place = try #require(Report([text]).places.first)
    let control = "Simulations control this on Linux alone: "
    #expect(place.reason == control + reason)
  }

  @Test func `the network is what no simulation controls`() throws {
    let code = "URLSession.shared.resume(); wait(for: [a])"
    let text = SourceText(path: "Tests/A.swift", text: Sample.testCase(code, effects: ""))
    let place = try #require(Report([text]).places.first)
    #expect(place.reason == "No simulation controls this: it uses URLSession (Tests/A.swift:4).")
  }

  @Test func `a type that the test uses may need an injected queue`() throws {
    let texts = [
      SourceText(
        path: "Sources/App/Toast.swift",
        text:
          "class Toast {\n  func show() { DispatchQueue.main.asyncAfter(deadline: .now() + 1) {} }\n}"
      ),
      SourceText(
        path: "Tests/A.swift", text: Sample.testCase("Toast().show(); wait(for: [a])", effects: "")),
    ]
    let place = try #require(Report(texts).places.first)
    #expect(place.verdict == .inject)
    #expect(
      place.reason
        == "Simulations control this on Linux alone: "
        + "Toast calls asyncAfter (Sources/App/Toast.swift:2).")
    #expect(place.replacements.map(\.text) == ["scheduler.run()\nToast().show(); wait(for: [a])"])
  }

  @Test(arguments: [
    (
      "Thread { a() }.start(); usleep(1000)",
      "Its time is real: it makes a thread (Tests/A.swift:3)."
    ),
    ("measure { usleep(1000) }", "Its time is real: it measures real time (Tests/A.swift:3)."),
    ("kill(id, SIGTERM); usleep(1000)", "Its time is real: it sends a signal (Tests/A.swift:3)."),
    ("while !isDone {}", "A loop without a pause keeps its thread, in a simulation too."),
    ("pthread_join(thread, nil)", "It waits for a thread, a process or an operation."),
    ("app.waitForExistence(timeout: 1)", "The app runs in another process."),
  ])
  func `what needs real time is left alone`(code: String, reason: String) {
    let place = Report(Sample.test(code)).places.first
    #expect(place?.verdict == .leave)
    #expect(place?.reason == reason)
  }

  @Test(arguments: [
    ("// Generated using a program", true), ("//\n// THIS IS IT. DO NOT EDIT.", true),
    ("/*\n  This file was automatically generated.\n*/", true), ("/// @Generated by Mockolo", true),
    ("// Code generated by protoc-gen-go.", true),
    ("// Tests that the tokens generated by the lexer are right.", false),
    ("let a = \"do not edit\"", false),
  ])
  func `a generated file is left alone`(head: String, isGenerated: Bool) {
    let reasons = Report(head + "\n" + Sample.test("usleep(1000)")).places.map(\.reason)
    #expect(
      (reasons == ["The file is generated. Change what generates it."]) == isGenerated)
  }

  @Test func `a test has the verdict that asks for most`() {
    let report = Report(Sample.test("usleep(1000)\nawait Task.yield()"))
    #expect(report.places.map(\.verdict) == [.trait, .line])
    #expect(report.tests.map(\.verdict) == [.line])
  }

  /// The verdict of the first place, and its lines.
  private func judged(_ text: String) -> [String] {
    guard let place = Report(text).places.first else { return [] }
    return [place.verdict.rawValue] + place.replacements.map { "\($0.line) \($0.text)" }
  }
}
