/// A function of the Swift runtime that is declared by its symbol says since when systems have it.
///
/// The loader looks for every symbol that a program imports, and does not start the program if one is
/// missing. `@available` makes the import weak where the package may be used on a system that is older,
/// and the compiler then asks for `#available` before each call. On Linux the runtime comes with the
/// program: what stands in `#if os(Linux)` needs nothing.
enum RuntimeImportRule {
  /// The lines of `file` that declare such a function without `@available` on the line above, as
  /// `path:line`.
  static func violations(in file: TextFile) -> [String] {
    var conditions: [String] = []
    return file.codeLines.compactMap { number, text in
      guard text.contains("#") || text.contains("@_silgen_name") else { return nil }
      let code = text.withoutCommentsAndLiterals.trimmed
      if code.hasPrefix("#if") {
        conditions.append(code)
      } else if code.hasPrefix("#else") {
        // Whatever it was before, from here on it is something else.
        conditions[conditions.count - 1] = code
      } else if code.hasPrefix("#endif") {
        conditions.removeLast()
      }
      let isOnLinuxAlone = conditions.contains { $0.isLinuxAlone }
      guard code.contains("@_silgen_name"), !isOnLinuxAlone else { return nil }
      let above = number > 1 ? file.lines[number - 2].trimmed : ""
      return above.hasPrefix("@available(macOS ") ? nil : "\(file.path):\(number)"
    }
  }
}

extension String {
  /// Whether code behind this condition is compiled for Linux and for nothing else.
  fileprivate var isLinuxAlone: Bool {
    let words = split { " ()".contains($0) }
    return words.starts(with: ["#if", "os", "Linux"]) && !contains("||")
  }
}
