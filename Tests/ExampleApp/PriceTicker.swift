import Foundation

/// Shows a price, which it asks for every ten seconds: a timer of the main run loop, and an operation queue for the
/// questions.
package final class PriceTicker: @unchecked Sendable {
  // Unchecked because its variables are used on the main queue only.

  private let queue = OperationQueue()
  private let price: @Sendable (_ question: Int) -> Int
  private var timer: Timer?
  private var lastQuestion = 0
  package private(set) var shown: Int?

  package init(price: @escaping @Sendable (_ question: Int) -> Int) { self.price = price }

  /// Asks with the defect of ``ask()``: an answer that takes longer than ten seconds may replace a later one.
  @MainActor package func start() {
    timer = Timer.scheduledTimer(withTimeInterval: 10, repeats: true) { [self] _ in ask() }
  }

  /// The same; shows no answer to an earlier question.
  @MainActor package func startForLatest() {
    timer = Timer.scheduledTimer(withTimeInterval: 10, repeats: true) { [self] _ in askForLatest() }
  }

  @MainActor package func stop() {
    timer?.invalidate()
    queue.cancelAllOperations()
  }

  /// Defect: of two answers the one that comes last is shown, whichever was asked for last.
  package func ask() {
    lastQuestion += 1
    let question = lastQuestion
    queue.addOperation { [self] in
      let answer = price(question)
      OperationQueue.main.addOperation { [self] in shown = answer }
    }
  }

  /// The same; shows no answer to an earlier question.
  package func askForLatest() {
    lastQuestion += 1
    let question = lastQuestion
    queue.addOperation { [self] in
      let answer = price(question)
      OperationQueue.main.addOperation { [self] in
        if question == lastQuestion { shown = answer }
      }
    }
  }
}
