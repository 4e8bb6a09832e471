import ExampleApp
import SleeplessTesting

/// Answers at once with the test's status, and records each request and its time.
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
