import Foundation

/// A line of progress on the terminal. Prints nothing if the output is not a terminal.
struct ProgressLine: Sendable {
  private let isShown = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1

  func show(_ text: String) { write("\r\u{1B}[K\(text)") }

  func clear() { write("\r\u{1B}[K") }

  /// Shows a text with the seconds that have passed, while work that blocks its thread is done.
  func show<Value: Sendable>(
    _ text: String, while work: @escaping @Sendable () -> Value
  ) async -> Value {
    let counting = Task {
      for seconds in 0... {
        show("\(text): \(seconds) s")
        try await Task.sleep(for: .seconds(1))  // real time: it is shown
      }
    }
    let value = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: work()) }
    }
    counting.cancel()
    _ = await counting.result
    clear()
    return value
  }

  private func write(_ text: String) {
    if isShown { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
