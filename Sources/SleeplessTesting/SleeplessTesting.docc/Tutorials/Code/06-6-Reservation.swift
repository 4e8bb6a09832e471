import Dispatch
import Sleepless

/// Holds a seat for ten minutes, or until it is paid.
@MainActor
final class Reservation {
  private(set) var isHeld = true
  private var expiry: (any CancellableType)?

  init(scheduler: any SchedulerType = DispatchQueue.main) {
    expiry = scheduler.schedule(after: .seconds(600)) { [weak self] in
      MainActor.assumeIsolated { self?.isHeld = false }
    }
  }

  func pay() { expiry?.cancel() }
}
