import Dispatch
import Sleepless

package enum CheckoutStatus: Equatable, Sendable {
  case idle, paying, paid(receipt: String), refused
}

package struct PaymentRefused: Error, Equatable {
  package init() {}
}

package protocol PaymentService: Sendable {
  /// Calls back on a thread that the service chooses.
  func pay(
    _ cents: Int, completion: @escaping @Sendable (Result<String, PaymentRefused>) -> Void)
}

package protocol HasPaymentService {
  var paymentService: any PaymentService { get }
}

@MainActor
package protocol HasCheckoutStatus: AnyObject, Sendable {
  var status: CheckoutStatus { get set }
}

/// Pays, for any type with the required properties: a view model, or a few lines in a test.
@MainActor
package protocol CheckoutFeature: HasCheckoutStatus, HasPaymentService, HasMainQueue {}

extension CheckoutFeature {
  package func pay(_ cents: Int) {
    guard status != .paying else { return }
    status = .paying
    paymentService.pay(cents) { [weak self, mainQueue] result in
      mainQueue.async {
        MainActor.assumeIsolated { self?.show(result) }
      }
    }
  }

  private func show(_ result: Result<String, PaymentRefused>) {
    switch result {
    case .success(let receipt): status = .paid(receipt: receipt)
    case .failure: status = .refused
    }
  }
}

/// The app's view model, with many features.
@MainActor
package final class ShopViewModel: CheckoutFeature {
  @PublishedState package var status = CheckoutStatus.idle
  package let paymentService: any PaymentService
  package let mainQueue: any DispatchQueueType

  package init(
    paymentService: any PaymentService, mainQueue: any DispatchQueueType = DispatchQueue.main
  ) {
    self.paymentService = paymentService
    self.mainQueue = mainQueue
  }
}
