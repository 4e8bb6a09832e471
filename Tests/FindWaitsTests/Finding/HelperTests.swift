import Testing

@testable import FindWaits

/// A helper that waits makes its callers wait.
@Suite struct HelperTests {
  @Test func `a global helper makes the test wait at its call`() throws {
    let place = try #require(
      places("func pause() { usleep(1000) }\n" + Sample.test("pause()")).first)
    #expect(place.line == 4)
    #expect(place.helper == "Tests/A.swift:1")
    #expect(place.function == "pause")
  }

  @Test func `an argument of the call is the duration`() {
    let helper =
      "func pause(for seconds: Double = 0.5) { Thread.sleep(forTimeInterval: seconds) }\n"
    #expect(
      places(helper + Sample.test("pause()\npause(for: 2)")).map(\.summary)
        == ["thread sleep 0.5 s", "thread sleep 2 s"])
  }

  @Test func `helpers of helpers pass their arguments on`() {
    let helpers = "func a(_ b: Double) { c(d: b) }\nfunc c(d: Double) { sleep(d) }\n"
    #expect(places(helpers + Sample.test("a(3)")).map(\.summary) == ["thread sleep 3 s"])
  }

  @Test func `functions that call each other end`() {
    let helpers = "func a() { usleep(1000); b() }\nfunc b() { a() }\n"
    #expect(places(helpers + Sample.test("a()")).count == 1)
  }

  @Test func `a method of the base class, an extension and an outer type are found`() {
    let texts = [
      "import XCTest\nclass Base: XCTestCase { func pause() { usleep(1000) } }",
      "import XCTest\nextension XCTestCase { func rest() { usleep(2000) } }",
      "import XCTest\nclass ATests: Base { func testA() { pause(); self.rest() } }",
    ]
    #expect(places(texts).map(\.summary) == ["thread sleep 1 ms", "thread sleep 2 ms"])
  }

  @Test func `a function of another name, type or with other labels is not meant`() {
    let helpers = """
      struct A { func pause() { usleep(1000) } }
      struct B { func pause() {} }
      func rest(for seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

      """
    let body = "let b = B()\nb.pause()\nunknown.pause()\nrest(after: 1)\nB.rest(for: 1)"
    #expect(places(helpers + Sample.test(body)) == [])
  }

  @Test func `the type of a variable decides`() {
    let helpers = "struct A { func pause() { usleep(1000) } }\nstruct B { func pause() {} }\n"
    #expect(places(helpers + Sample.test("let a = A()\na.pause()")).count == 1)
    #expect(places(helpers + Sample.test("A().pause()")).count == 1)
  }

  @Test func `setUp and tearDown make each test of the case wait`() {
    let text = """
      import XCTest
      class ATests: XCTestCase {
        override func setUp() { usleep(1000) }
        override func tearDown() async throws { try await Task.sleep(for: .seconds(1)) }
        func testA() {}
        func testB() {}
      }
      """
    #expect(Report(text).tests.map(\.name) == ["ATests.testA", "ATests.testB"])
    #expect(Report(text).places.map(\.fixture) == ["setUp", "tearDown", "setUp", "tearDown"])
  }

  @Test func `the initialiser of a suite makes its tests wait`() {
    let text = "import Testing\n@Suite struct A { init() { usleep(1000) }\n @Test func b() {} }"
    #expect(Report(text).tests.map(\.name) == ["A.b"])
  }

  @Test func `a constant of a base class is known`() {
    let texts = [
      "import XCTest\nclass Base: XCTestCase { let limit: TimeInterval = 4 }",
      "import XCTest\nclass ATests: Base { func testA() { waitForExpectations(timeout: limit) } }",
      "let limit = 9",
    ]
    #expect(places(texts).map(\.summary) == ["expectation 4 s"])
  }

  private func places(_ text: String) -> [Place] { Report(text).places }

  private func places(_ texts: [String]) -> [Place] {
    Report(
      texts.enumerated().map { SourceText(path: "Tests/\($0.offset).swift", text: $0.element) }
    ).places
  }
}
