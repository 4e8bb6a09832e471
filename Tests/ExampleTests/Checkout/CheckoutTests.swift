import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite(.checkedAtEnd) struct CheckoutTests {
  let checkout = CheckoutStandIn()

  @Test func `the receipt is shown on the main queue`() {
    checkout.payments.payment.always(.value("No. 7"))
    checkout.pay(499)
    #expect(checkout.status == .paying)
    checkout.scheduler.advance()
    #expect(checkout.status == .paid(receipt: "No. 7"))
    #expect(checkout.payments.payment.calls.arguments == [499])
  }

  @Test func `a second tap does not pay twice`() throws {
    let gate = Gate<String>("pay")
    checkout.payments.payment.always(.held(by: gate))
    checkout.pay(499)
    checkout.pay(499)
    let call = try gate.entered()
    #expect(gate.inFlight.count == 1)
    call.succeed(with: "No. 7")
    checkout.scheduler.advance()
    #expect(checkout.payments.payment.calls.count == 1)
  }

  @Test func `after a refusal the user may try again`() {
    checkout.payments.payment.inTurn(.error(PaymentRefused()), .value("No. 8"))
    checkout.pay(499)
    checkout.scheduler.advance()
    #expect(checkout.status == .refused)
    checkout.pay(499)
    checkout.scheduler.advance()
    #expect(checkout.status == .paid(receipt: "No. 8"))
  }

  @Test func `the model waits for a slow bank`() {
    let scheduler = checkout.scheduler
    checkout.payments.payment.always(
      .after(.seconds(30), on: scheduler, .value("No. 9")), for: 499)
    checkout.pay(499)
    scheduler.advance(by: .seconds(29))
    #expect(checkout.status == .paying)
    scheduler.advance(by: .seconds(1))
    #expect(checkout.status == .paid(receipt: "No. 9"))
  }
}
