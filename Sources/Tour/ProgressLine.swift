import Foundation

/// A line of progress on the terminal. Prints nothing if the output is not a terminal.
struct ProgressLine: Sendable {
  private let isShown = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1

  func show(_ text: String) { write("\r\u{1B}[K\(text)") }

  func clear() { write("\r\u{1B}[K") }

  private func write(_ text: String) {
    if isShown { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
