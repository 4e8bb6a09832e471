/// A message that goes away after a while.
@MainActor final class Toast {
  private(set) var isShown = false

  init() {}

  func show(for duration: Duration = .seconds(2)) {
    isShown = true
    Task {
      try await Task.sleep(for: duration)  // real time: find-waits finds it
      isShown = false
    }
  }
}
