/// A message that goes away after three seconds.
@MainActor
final class Toast {
  private(set) var text: String?
  private var hiding: Task<Void, any Error>?

  func show(_ text: String) {
    self.text = text
    hiding?.cancel()
    hiding = Task {
      try await Task.sleep(for: .seconds(3))
      self.text = nil
    }
  }
}
