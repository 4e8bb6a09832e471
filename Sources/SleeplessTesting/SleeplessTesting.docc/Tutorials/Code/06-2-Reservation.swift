import Dispatch
import Sleepless

/// Holds a seat for ten minutes, or until it is paid.
@MainActor
final class Reservation {
  private(set) var isHeld = true
  private var isPaid = false

  init(scheduler: any SchedulerType = DispatchQueue.main) {
    scheduler.asyncAfter(deadline: .now() + 600) { [weak self] in
      MainActor.assumeIsolated { self?.expire() }
    }
  }

  func pay() { isPaid = true }

  private func expire() {
    if !isPaid { isHeld = false }
  }
}
