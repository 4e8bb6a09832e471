import ExampleApp
import SleeplessTesting

struct PaymentServiceMock: PaymentService {
  let payment = Stub<Int, String>("pay")

  func pay(
    _ cents: Int, completion: @escaping @Sendable (Result<String, PaymentRefused>) -> Void
  ) {
    payment(cents, orThrow: PaymentRefused(), completion: completion)
  }
}

/// All properties that paying needs, without a view model.
@MainActor
final class CheckoutStandIn: CheckoutFeature {
  var status = CheckoutStatus.idle
  let payments = PaymentServiceMock()
  let scheduler = TestScheduler()

  nonisolated var paymentService: any PaymentService { payments }
  nonisolated var mainQueue: any DispatchQueueType { scheduler }
}
