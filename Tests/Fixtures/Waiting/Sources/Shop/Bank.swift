import Dispatch

/// Answers on a queue after a while.
final class Bank: Sendable {
  private let queue = DispatchQueue(label: "bank")

  init() {}

  func pay(_ amount: Int, then completion: @escaping @Sendable (Bool) -> Void) {
    queue.asyncAfter(deadline: .now() + 0.2) { completion(amount < 100) }
  }
}
