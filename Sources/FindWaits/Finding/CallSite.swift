/// A call in a function's body: `name(arguments) { … }` with what is before it.
struct CallSite {
  struct Argument {
    let label: String?
    let value: Range<Int>
  }

  let name: String
  /// The place of the name.
  let index: Int
  let receiver: Receiver
  let arguments: [Argument]
  /// Behind the brackets.
  let end: Int
  /// The brace of a trailing closure.
  let closure: Int?
  /// False for a bare word.
  let isCall: Bool

  func argument(_ label: String?) -> Range<Int>? {
    arguments.first { $0.label == label }?.value
  }

  var labels: [String?] { arguments.map(\.label) }

  /// The receiver and the name, such as `Thread.sleep`.
  var fullName: String {
    let path = receiver.path.filter { $0 != "self" }
    return path.isEmpty || path.count > 2 ? name : "\(path.joined(separator: ".")).\(name)"
  }
}

/// What stands before the point of a call.
struct Receiver {
  /// The names, such as `["DispatchQueue", "main"]`; a call has brackets after its name.
  let path: [String]
  /// Whether the call begins with a point, as in `.now()`.
  let isImplicit: Bool
  /// Where the chain begins.
  let start: Int
}

extension SourceFile {
  /// Reads the chain of names before the word at an index, and not further back than `limit`.
  func receiver(of index: Int, from limit: Int) -> Receiver {
    var path: [String] = []
    var start = index
    while start - 1 > limit, tokens[start - 1].isSign(".") {
      var part = start - 2
      var isCall = false
      while part > limit,
        tokens[part].isSign("?") || tokens[part].isSign("!") || isClosing(tokens[part])
          || tokens[part].isSign(">")
      {
        if isClosing(tokens[part]) {
          isCall = true
          part = partner(of: part) - 1
        } else if tokens[part].isSign(">") {
          var depth = 0
          repeat {
            if tokens[part].isSign(">") { depth += 1 }
            if tokens[part].isSign("<") { depth -= 1 }
            part -= 1
          } while depth > 0 && part > limit
        } else {
          part -= 1
        }
      }
      guard part >= limit, tokens[part].isName else {
        return Receiver(path: path, isImplicit: path.isEmpty && !isCall, start: start - 1)
      }
      path.insert(tokens[part].text + (isCall ? "()" : ""), at: 0)
      start = part
    }
    return Receiver(path: path, isImplicit: false, start: start)
  }

  private func isClosing(_ token: Token) -> Bool {
    token.kind == .sign && (token.text == ")" || token.text == "]" || token.text == "}")
  }

  /// Splits `label: value`.
  func argument(_ range: Range<Int>) -> CallSite.Argument {
    if range.count > 2, tokens[range.lowerBound].isName, tokens[range.lowerBound + 1].isSign(":") {
      return CallSite.Argument(
        label: tokens[range.lowerBound].text, value: (range.lowerBound + 2)..<range.upperBound)
    }
    return CallSite.Argument(label: nil, value: range)
  }

  /// Where the expression begins that ends with a call: at `try`, `await`, `_ =` or `let _ =` before it.
  func expressionStart(of site: CallSite) -> Int {
    var start = site.receiver.start
    while start > 0 {
      let before = tokens[start - 1]
      if before.isWord("try") || before.isWord("await") {
        start -= 1
      } else if before.isSign("?") || before.isSign("!"), start > 1, tokens[start - 2].isWord("try")
      {
        start -= 2
      } else if before.isSign("="), start > 1, tokens[start - 2].isWord("_") {
        start -= 2
        if start > 0, tokens[start - 1].isWord("let") || tokens[start - 1].isWord("var") {
          start -= 1
        }
      } else {
        break
      }
    }
    return start
  }

  /// The lines of a call when a text stands in its place, with or without its `try` and `await`.
  func line(of site: CallSite, replacedBy text: String, withEffects: Bool = true) -> String {
    let start = withEffects ? expressionStart(of: site) : site.receiver.start
    return line(of: start..<site.end, replacedBy: text)
  }
}
