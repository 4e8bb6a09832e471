import Foundation

extension TextFile {
  /// The lines that a compiler would see as code, each with its number, counted from 1.
  ///
  /// Text inside `"""` is somebody's fixture and is left out. A line that opens or closes such a
  /// literal is left out whole; nothing these checks look for belongs there.
  var codeLines: [(number: Int, text: String)] {
    var isInsideLiteral = false
    var result: [(number: Int, text: String)] = []
    for (index, line) in lines.enumerated() {
      let delimiters = line.contains("\"\"\"") ? line.ranges(of: "\"\"\"").count : 0
      if delimiters % 2 == 1 {
        isInsideLiteral.toggle()
      } else if !isInsideLiteral, delimiters == 0 {
        result.append((index + 1, line))
      }
    }
    return result
  }
}

extension String {
  /// This line of code with its `//` comment, its string literals and its raw identifiers left out.
  var withoutCommentsAndLiterals: String {
    var rest = self[...]
    var result = ""
    while let next = rest.first {
      if rest.hasPrefix("//") { break }
      rest.removeFirst()
      if next == "\"" || next == "`" {
        rest = rest.afterLiteral(closedBy: next)
      } else {
        result.append(next)
      }
    }
    return result
  }

  /// This line without the blanks at its ends.
  var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension Substring {
  fileprivate func afterLiteral(closedBy quote: Character) -> Substring {
    var isEscaped = false
    for index in indices {
      if isEscaped {
        isEscaped = false
      } else if self[index] == "\\", quote == "\"" {
        isEscaped = true
      } else if self[index] == quote {
        return self[self.index(after: index)...]
      }
    }
    return self[endIndex...]
  }
}
