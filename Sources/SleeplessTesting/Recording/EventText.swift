/// A value or an error as failures show it: on one line, strings in quotes.
package func eventText(of value: Any, limit: Int = 200) -> String {
  if value is any StringProtocol { return String(reflecting: value).cut(to: limit) }
  // Swift prints the types within a payload with their module, which the reader knows.
  let module = String(reflecting: type(of: value)).prefix { $0 != "." } + "."
  return String(describing: value).withoutQualifier(module)
    .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    .cut(to: limit)
}

extension String {
  /// Leaves out a module's name and its dot before names of types, but not within quotes.
  fileprivate func withoutQualifier(_ qualifier: some StringProtocol) -> String {
    var result = ""
    var rest = self[...]
    var isQuoted = false
    while let next = rest.first {
      if !isQuoted, rest.hasPrefix(qualifier), result.last?.isPartOfName != true,
        rest.dropFirst(qualifier.count).first?.beginsTypeName == true
      {
        rest = rest.dropFirst(qualifier.count)
        // What stands for the file of a private type differs from run to run.
        if rest.hasPrefix("(unknown context at $"), let end = rest.firstRange(of: ").") {
          rest = rest[end.upperBound...]
        }
        continue
      }
      if next == "\"" { isQuoted.toggle() }
      // A quote after a backslash ends nothing.
      let length = isQuoted && next == "\\" ? 2 : 1
      result += rest.prefix(length)
      rest = rest.dropFirst(length)
    }
    return result
  }
}

extension Character {
  fileprivate var isPartOfName: Bool { isLetter || isNumber || self == "_" || self == "." }

  fileprivate var beginsTypeName: Bool { isUppercase || self == "_" || self == "(" }
}

extension String {
  /// The first characters, with an ellipsis as the last one if the text is longer.
  func cut(to limit: Int) -> String {
    count > limit ? prefix(limit - 3) + "..." : self
  }

  /// The text with blanks after it, up to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// The text with blanks before it, up to a width.
  func padded(from width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}

/// One event of a list in a failure.
struct EventLine: Sendable {
  let time: String
  let text: String
  let isUnread: Bool

  /// Numbered events, one per line; the last ten if there are more.
  static func list(_ lines: [EventLine], before: Int) -> String {
    let number = "\(before + lines.count)".count
    let width = lines.map(\.time.count).max() ?? 0
    let listed = lines.enumerated().map { index, line in
      let start = "  " + "\(before + index + 1)".padded(from: number)
      return start + "  " + line.time.padded(from: width) + "  " + line.text
        + (line.isUnread ? "  (unread)" : "")
    }
    return ((before > 0 ? ["  ... \(before) before"] : []) + listed).joined(separator: "\n")
  }
}
