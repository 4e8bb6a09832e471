import ExampleApp
import SleeplessTesting

/// Answers at once with a status that the test sets, and writes down what it is asked and when.
@MainActor
final class OrderServiceMock: OrderService {
  var status = OrderStatus.packing
  private(set) var orders: [Int] = []
  private(set) var instants: [Duration] = []
  private let scheduler: TestScheduler

  init(scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  func fetchStatus(ofOrder id: Int, completion: @escaping @Sendable (OrderStatus) -> Void) {
    orders.append(id)
    instants.append(scheduler.now)
    completion(status)
  }
}
