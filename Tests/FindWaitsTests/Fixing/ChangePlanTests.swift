import Testing

@testable import FindWaits

@Suite struct ChangePlanTests {
  private func plan(_ text: String, tries: Bool = false) -> ChangePlan {
    ChangePlan(Report(text), tries: tries)
  }

  /// A text with the changes of a plan.
  private func changed(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for change in plan(text).changes.reversed() { change.edit.apply(to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("@Test func waits() async throws", "@Test(.simulated) func waits() async throws"),
    ("@Test() func waits() async throws", "@Test(.simulated) func waits() async throws"),
    (
      "@Test(\"a name\") func waits() async throws",
      "@Test(\"a name\", .simulated) func waits() async throws"
    ),
    (
      "@Test(arguments: [1]) func waits(_ n: Int) async throws",
      "@Test(.simulated, arguments: [1]) func waits(_ n: Int) async throws"
    ),
    (
      "@MainActor @Test(.bug(\"1\")) func waits() async throws",
      "@MainActor @Test(.simulated, .bug(\"1\")) func waits() async throws"
    ),
    (
      ##"@Test(#"a "raw" name"#) func waits() async throws"##,
      ##"@Test(#"a "raw" name"#, .simulated) func waits() async throws"##
    ),
    (
      "@Test( \"x\" ) func waits() async throws",
      "@Test( \"x\", .simulated ) func waits() async throws"
    ),
    (
      "@Test(\n  \"a name\"  // a\n) func waits() async throws",
      "@Test(\n  \"a name\", .simulated  // a\n) func waits() async throws"
    ),
    (
      "@Test(  // b\r\n  .bug(\"1\")) func waits() async throws",
      "@Test(  // b\r\n  .simulated, .bug(\"1\")) func waits() async throws"
    ),
  ])
  func `a test gets the trait`(before: String, after: String) {
    let body = "{ try await Task.sleep(for: .seconds(1)) }"
    #expect(changed("import Testing\n\(before) \(body)") == "import Testing\n\(after) \(body)")
  }

  @Test func `each test of a line gets the trait`() {
    let sleep = "try await Task.sleep(for: .seconds(1))"
    let text = "import Testing\n@Test func a() { \(sleep) }; @Test func b() { \(sleep) }"
    #expect(changed(text) == text.replacing("@Test", with: "@Test(.simulated)"))
  }

  @Test func `a case of XCTest gets the base class, once`() {
    let plan = plan(
      """
      import XCTest
      final class ATests: XCTestCase {
        func testOne() { sleep(1) }
        func testTwo() { sleep(2) }
      }
      """)
    #expect(plan.changes.map(\.edit.after) == ["SimulatedTestCase"])
    #expect(plan.changes.map(\.filter) == [#"^[^./]+\.`?ATests/"#])
  }

  @Test func `a case with a test that needs more is left alone`() {
    let plan = plan(
      """
      import XCTest
      final class ATests: XCTestCase {
        func testOne() { sleep(1) }
        func testTwo() { sleep(2); measure {} }
      }
      """)
    #expect(plan.changes == [])
    #expect(
      plan.rest.map { "\($0.name): \($0.reason)" } == [
        "ATests.testTwo: leave alone, which is yours to write",
        "ATests: of ATests.testTwo it would be too much: leave alone",
      ])
  }

  private let shared = """
    import XCTest
    class AppCase: XCTestCase {}
    class ATests: AppCase { func testA() { sleep(1) } }
    class BTests: ATests { func testB() { sleep(2); BODY } }
    class CTests: AppCase { func testC() {} }
    """

  @Test func `a base class that cases share changes for all of them`() {
    let plan = plan(shared.replacing("BODY", with: ""))
    #expect(plan.changes.map(\.edit.after) == ["SimulatedTestCase"])
    #expect(plan.changes.map(\.name) == ["AppCase"])
    #expect(plan.changes.map(\.filter) == [#"^[^./]+\.`?(ATests|BTests|CTests)/"#])
    #expect(plan.rest == [])
  }

  @Test(arguments: [false, true])
  func `a base class that a case with a test to leave alone shares is left alone`(tries: Bool) {
    let plan = plan(shared.replacing("BODY", with: "Thread {}.start()"), tries: tries)
    #expect(plan.changes == [])
    #expect(
      plan.rest.map { "\($0.name): \($0.reason)" } == [
        "BTests.testB: leave alone, which is yours to write",
        "AppCase: of BTests.testB it would be too much: leave alone",
      ])
  }

  @Test func `a known wait that is to be left alone stops its case`() {
    let text = { (body: String) in
      "import XCTest\nclass A: XCTestCase {\nfunc testA() { \(body) }\nfunc testB() { sleep(1); measure {} }\n}"
    }
    let all = Report(text("sleep(1)"))
    var report = all
    report.remove(Baseline(Report(text(""))))
    #expect(report.tests.map(\.name) == ["A.testA"])
    #expect(ChangePlan(report, of: all).changes == [])
  }

  @Test(arguments: [
    ("DispatchQueue.main.asyncAfter(deadline: .now() + 1) {}", true),
    ("await Task.yield()", true),
    ("sleep(2); measure {}", false),
  ])
  func `with tries only a test to leave alone stops its case`(body: String, isChanged: Bool) {
    let text = """
      import XCTest
      final class ATests: XCTestCase {
        func testOne() { sleep(1) }
        func testTwo() async { \(body) }
      }
      """
    #expect(plan(text).changes == [])
    #expect(plan(text, tries: true).changes.isEmpty == !isChanged)
    #expect(plan(text, tries: true).rest.isEmpty == isChanged)
  }

  @Test func `a name is no pattern`() throws {
    let plan = plan(
      """
      import Testing
      @Suite struct S { @Test func `a (b)?`() async throws { try await Task.sleep(for: .seconds(1)) } }
      """)
    let filter = try Regex(try #require(plan.changes.first).filter)
    #expect("AppTests.S/`a (b)?`()/A.swift:2:19".contains(filter))
    #expect(!"AppTests.S/`a b`()/A.swift:2:19".contains(filter))
    #expect(!"AppTests.S/`a (b)? c`()/A.swift:2:19".contains(filter))
  }
}
