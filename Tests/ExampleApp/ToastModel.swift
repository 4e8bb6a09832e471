import Dispatch
import Sleepless

/// Shows a text and hides it again, with GCD's own calls.
@MainActor
package final class ToastModel {
  package private(set) var text: String?

  private let scheduler: any SchedulerType
  private var shown = 0

  package init(scheduler: any SchedulerType = DispatchQueue.main) {
    self.scheduler = scheduler
  }

  package func show(_ text: String) {
    self.text = text
    shown += 1
    scheduler.asyncAfter(deadline: .now() + 2.5) { [weak self, shown] in
      MainActor.assumeIsolated { self?.hide(shown) }
    }
  }

  private func hide(_ number: Int) {
    guard number == shown else { return }
    text = nil
  }
}
