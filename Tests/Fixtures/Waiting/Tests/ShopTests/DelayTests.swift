import XCTest

final class DelayTests: XCTestCase {
  func testRests() {
    Thread.sleep(forTimeInterval: 0.3)  // real time: find-waits finds it
    XCTAssertTrue(true)
  }

  func testRestsTwice() {
    for _ in 0..<2 { usleep(100_000) }  // real time: find-waits finds it
  }

  func testComputes() { XCTAssertEqual((1...10).reduce(0, +), 55) }
}
