import Dispatch
import Sleepless

package enum OrderStatus: Equatable, Sendable {
  case packing, onItsWay, delivered
}

@MainActor
package protocol OrderService {
  /// Calls back on a thread that the service chooses.
  func fetchStatus(ofOrder id: Int, completion: @escaping @Sendable (OrderStatus) -> Void)
}

/// Asks for an order's status at once and then every half minute, until the order is delivered.
@MainActor
package final class OrderPoller {
  package private(set) var status: OrderStatus?

  private let service: any OrderService
  private let scheduler: any SchedulerType
  private var order: Int?
  private var timer: (any CancellableType)?

  package init(service: any OrderService, scheduler: any SchedulerType = DispatchQueue.main) {
    self.service = service
    self.scheduler = scheduler
  }

  deinit { timer?.cancel() }

  package func start(order id: Int) {
    stop()
    order = id
    timer = scheduler.schedule(
      after: .zero, every: .seconds(30), tolerance: .seconds(3), label: "order \(id)"
    ) { [weak self] in
      MainActor.assumeIsolated { self?.poll(id) }
    }
  }

  package func stop() {
    timer?.cancel()
    order = nil
  }

  private func poll(_ id: Int) {
    service.fetchStatus(ofOrder: id) { [weak self, scheduler] status in
      scheduler.async {
        MainActor.assumeIsolated { self?.show(status, ofOrder: id) }
      }
    }
  }

  private func show(_ status: OrderStatus, ofOrder id: Int) {
    guard id == order else { return }
    self.status = status
    if status == .delivered { stop() }
  }
}
