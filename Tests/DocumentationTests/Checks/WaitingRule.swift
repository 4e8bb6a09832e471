/// No test waits for time to pass, and neither does the library.
///
/// A line that has to, because real time is what it is about, says why in a comment that begins with
/// "real time:", on the same line or on the one above. A file whose waits are all simulated says so
/// in a line of its own, "// virtual time: …".
enum WaitingRule {
  private static let waits = [
    "Thread.sleep", "Task.sleep", "Task.yield", "usleep(", "nanosleep(",
    "ContinuousClock().sleep", "SuspendingClock().sleep", ".wait(timeout:", ".wait(wallTimeout:",
    "wait(for:",
  ]

  /// The lines of `file` that wait and do not say why, as `path:line: what`.
  static func violations(in file: TextFile) -> [String] {
    let isVirtual = file.lines.contains {
      $0.hasPrefix("// virtual time:") && $0.wholeMatch(of: /\/\/ virtual time: \S.*/) != nil
    }
    return isVirtual
      ? []
      : file.codeLines.compactMap { number, text in
        // Most lines are done with here, which is a hundred times quicker than reading them.
        guard waits.contains(where: text.contains) else { return nil }
        let code = text.withoutCommentsAndLiterals
        guard let wait = waits.first(where: code.contains) else { return nil }
        let above = number > 1 ? file.lines[number - 2] : ""
        guard !text.givesReason, !(above.trimmed.hasPrefix("//") && above.givesReason) else {
          return nil
        }
        return "\(file.path):\(number): \(wait)"
      }
  }
}

extension String {
  fileprivate var givesReason: Bool { contains(/\/\/.*real time: \S/) }
}
