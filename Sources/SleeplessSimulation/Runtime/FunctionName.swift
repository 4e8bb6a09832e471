import Foundation

/// The name of a function as its users write it, made from the demangled name of its symbol:
/// `Shop.Cart.pay(card: Shop.Card) async throws -> ()` is `Cart.pay(card:)`.
package struct FunctionName: Equatable {
  /// The module that defines the function; nil for a function within another.
  let module: String?
  /// Type and function, with the labels of the arguments.
  package let text: String

  /// Reads the demangled name of one function, without the scopes that enclose it.
  package init?(demangled name: String) {
    var name = name[...]
    var module: Substring?
    if let match = name.prefixMatch(of: /(?:static )?\(extension in ([^()]+)\):/) {
      module = match.1
      name = name[match.range.upperBound...]
    }
    for word in ["static ", "implicit "] where name.hasPrefix(word) { name.removeFirst(word.count) }
    let signature = Signature(name)
    name = signature.name
    if let number = name.firstMatch(of: /\ #\d+\ ?$/) {
      // A function within another has a number, and no module of its own.
      name = name[..<number.range.lowerBound]
    } else {
      guard let dot = name.firstIndex(of: ".") else { return nil }
      module = module ?? name[..<dot]
      name = name[name.index(after: dot)...]
    }
    self.module = module.map(String.init)
    text = name + (signature.labels ?? "")
  }

  /// The parts of a demangled function: everything before its arguments, and their labels.
  private struct Signature {
    var name: Substring
    /// `(card:_:)`; nil for an accessor, which has no arguments.
    var labels: String?

    init(_ text: Substring) {
      if let match = text.firstMatch(of: /^(.*\S) (?:infix|prefix|postfix)\((.*)\)/) {
        name = match.1
        labels = Self.labels(of: match.2)
        return
      }
      name = text
      for mark in [" : ", " async", " throws", " -> "] {
        if let end = Self.outermost(mark, in: name) { name = name[..<end] }
      }
      if name.hasSuffix(")"), let start = Self.start(ofLast: ("(", ")"), in: name) {
        labels = Self.labels(of: name[start...].dropFirst().dropLast())
        name = name[..<start]
      } else if let accessor = name.firstMatch(of: /\.[a-z][A-Za-z]*$/), text.contains(" : ") {
        name = name[..<accessor.range.lowerBound]
      }
      if name.hasSuffix(">"), let start = Self.start(ofLast: ("<", ">"), in: name) {
        name = name[..<start]
      }
    }

    /// `Shop.Card, on: Shop.Day` has the labels `(_:on:)`.
    private static func labels(of arguments: Substring) -> String {
      guard !arguments.isEmpty else { return "()" }
      var labels = "("
      var rest = arguments
      while true {
        let end = outermost(", ", in: rest) ?? rest.endIndex
        let label = rest[..<end].prefixMatch(of: /([^\s.(<\[]+):\ /)?.1
        labels += "\(label ?? "_"):"
        guard end < rest.endIndex else { return labels + ")" }
        rest = rest[end...].dropFirst(2)
      }
    }

    /// Where a mark first stands outside brackets.
    private static func outermost(_ mark: String, in text: Substring) -> String.Index? {
      var depth = 0
      var previous: Character?
      for index in text.indices {
        if depth == 0, text[index...].hasPrefix(mark) { return index }
        switch text[index] {
        case "(", "[", "<": depth += 1
        case ">" where previous == "-": break
        case ")", "]", ">": depth -= 1
        default: break
        }
        previous = text[index]
      }
      return nil
    }

    /// Where the bracket opens that closes at the end.
    private static func start(
      ofLast brackets: (open: Character, close: Character), in text: Substring
    ) -> String.Index? {
      var depth = 0
      for index in text.indices.reversed() {
        switch text[index] {
        case brackets.close
        where index == text.startIndex || text[text.index(before: index)] != "-":
          depth += 1
        case brackets.open:
          depth -= 1
          if depth == 0 { return index }
        default: break
        }
      }
      return nil
    }
  }
}
