import ExampleApp
import SleeplessTesting
import XCTest

@MainActor
final class CheckoutXCTests: XCTestCase {
  func testTheReceiptIsShownOnTheMainQueue() async {
    let checkout = CheckoutStandIn()
    checkout.payments.payment.always(.value("No. 7"))
    checkout.pay(499)
    XCTAssertEqual(checkout.status, .paying)
    await checkout.scheduler.advance()
    XCTAssertEqual(checkout.status, .paid(receipt: "No. 7"))
  }

  func testASecondTapDoesNotPayTwice() async throws {
    let checkout = CheckoutStandIn()
    let gate = Gate<String>("pay")
    checkout.payments.payment.always(.held(by: gate))
    checkout.pay(499)
    checkout.pay(499)
    let call = try await gate.entered()
    XCTAssertEqual(checkout.payments.payment.calls.count, 1)
    call.fail(with: PaymentRefused())
    await checkout.scheduler.advance()
    XCTAssertEqual(checkout.status, .refused)
  }
}
