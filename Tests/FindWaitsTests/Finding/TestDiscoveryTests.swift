import Testing

@testable import FindWaits

@Suite struct TestDiscoveryTests {
  @Test(arguments: [
    ("class A: XCTestCase { func testB() { WAIT } }", ["A.testB"]),
    ("class A: XCTestCase { func testB(c: Int) { WAIT } }", []),
    ("class A: XCTestCase { private func testB() { WAIT } }", []),
    ("class A: XCTestCase { static func testB() { WAIT } }", []),
    ("class A: Base { func testB() { WAIT } }\nclass Base: XCTestCase {}", ["A.testB"]),
    ("class A: XCTestCase {}\nextension A { func testB() { WAIT } }", ["A.testB"]),
    ("class A: OtherTestCase { func testB() { WAIT } }", ["A.testB"]),
    ("class A { func testB() { WAIT } }", []),
    ("struct A { @Test func b() { WAIT } }", ["A.b"]),
    ("struct A { struct B { @Test func c() { WAIT } } }", ["A.B.c"]),
    ("@Test func `a b`() { WAIT }", ["a b"]),
    ("@Suite(.simulated) struct A { struct B { @Test func c() { WAIT } } }", []),
    ("extension A { @Test func b() { WAIT } }\n@Suite(.simulated) struct A {}", []),
    ("class A: Base { func testB() { WAIT } }\nclass Base: SimulatedTestCase {}", []),
    ("final class A: QuickSpec { override class func spec() { it(\"b\") { WAIT } } }", ["A.spec"]),
  ])
  func `tests are found, and simulated ones are not waiting`(text: String, names: [String]) {
    let text = "import XCTest\n" + text.replacing("WAIT", with: "usleep(1000)")
    #expect(Report(text).tests.map(\.name) == names)
  }

  @Test func `all tests are counted`() {
    let text = "import XCTest\nclass A: XCTestCase { func testA() {}\nfunc testB() { sleep(1) } }"
    #expect(Report(text).testCount == 2)
  }
}
