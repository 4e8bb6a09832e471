import Dispatch

/// The readme's toast, with the main queue in place of a task.
@MainActor
final class QueueToast {
  private(set) var text: String?
  private var latest = 0

  /// Its end hides whatever is shown then.
  func show(_ text: String) {
    self.text = text
    DispatchQueue.main.asyncAfter(deadline: .now() + 3) {
      MainActor.assumeIsolated { self.text = nil }
    }
  }

  /// Its end hides it if no other one has been shown since.
  func showUntilNext(_ text: String) {
    self.text = text
    latest += 1
    DispatchQueue.main.asyncAfter(deadline: .now() + 3) { [latest] in
      MainActor.assumeIsolated {
        if latest == self.latest { self.text = nil }
      }
    }
  }
}
