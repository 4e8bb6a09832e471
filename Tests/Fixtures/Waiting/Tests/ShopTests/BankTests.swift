@testable import Shop
import XCTest

final class BankTests: XCTestCase {
  func testPays() {
    let paid = expectation(description: "paid")
    Bank().pay(20) { if $0 { paid.fulfill() } }
    wait(for: [paid], timeout: 1)  // real time: find-waits finds it
  }

  func testRefuses() {
    let refused = expectation(description: "refused")
    Bank().pay(200) { if !$0 { refused.fulfill() } }
    wait(for: [refused], timeout: 1)  // real time: find-waits finds it
  }
}
