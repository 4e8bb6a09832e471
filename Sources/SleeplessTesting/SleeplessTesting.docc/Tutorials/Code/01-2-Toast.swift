/// A message that goes away after three seconds.
@MainActor
final class Toast {
  private(set) var text: String?

  func show(_ text: String) {
    self.text = text
    Task {
      try await Task.sleep(for: .seconds(3))
      self.text = nil
    }
  }
}
