import Foundation

/// The width of text in a terminal or an editor with a monospaced font.
extension StringProtocol {
  /// The number of columns: two for wide letters such as Chinese ones and for emoji, one for others.
  var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// The text cut to a width, which must be positive. The middle is left out, because names differ at their
  /// beginnings and ends; a sign stands for it.
  func shortened(to width: Int) -> String {
    guard displayWidth > width else { return String(self) }
    let tail = (width - 3) / 2
    return prefix(ofWidth: width - 3 - tail) + "..." + suffix(ofWidth: tail)
  }

  /// The text in lines of at most a width, which must be positive. Lines break after commas; a longer part
  /// breaks at spaces, and a longer word after points. A word without points is cut in the middle.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    func add(_ text: String, after space: String) {
      let longer = (lines.last ?? "") + space + text
      if lines.isEmpty || longer.displayWidth > width {
        lines.append(text)
      } else {
        lines[lines.count - 1] = longer
      }
    }
    for part in split(after: ", ") {
      let words = part.displayWidth <= width ? [part] : part.split(after: " ")
      for word in words {
        let pieces =
          word.displayWidth <= width
          ? [word] : word.split(after: ".").map { $0.shortened(to: width) }
        for (number, piece) in pieces.enumerated() { add(piece, after: number == 0 ? " " : "") }
      }
    }
    return lines
  }

  /// The parts that end with a mark, without the space that may follow it.
  fileprivate func split(after mark: String) -> [String] {
    let parts = components(separatedBy: mark)
    let end = mark.filter { $0 != " " }
    return parts.enumerated().map { $0 < parts.count - 1 ? $1 + end : $1 }
      .filter { !$0.isEmpty }
  }

  /// The text with spaces after it, up to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - displayWidth))
  }

  /// The text with spaces before it, up to a width.
  func indented(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - displayWidth)) + self
  }

  private func prefix(ofWidth width: Int) -> String { String(characters(self, ofWidth: width)) }

  private func suffix(ofWidth width: Int) -> String {
    String(characters(reversed(), ofWidth: width).reversed())
  }

  private func characters(_ text: some Sequence<Character>, ofWidth width: Int) -> [Character] {
    var rest = width
    return text.prefix { character in
      rest -= character.displayWidth
      return rest >= 0
    }
  }
}

extension Character {
  fileprivate var displayWidth: Int {
    guard let scalar = unicodeScalars.first, scalar.value >= 0x300 else { return 1 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return Self.wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The blocks of wide letters: Unicode Standard Annex 11.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}
