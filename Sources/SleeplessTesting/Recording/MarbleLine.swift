/// A sequence of events written as one line: `a 10ms b |`.
///
/// A word stands for an event and a duration for the time between events. Events without a duration
/// between them come at one instant. `|` is the finish, `#` a failure, `#name` a failure that prints
/// `name`. A blank within brackets or quotes does not end a word.
struct MarbleLine {
  enum Symbol: Equatable {
    case value(String)
    case finish
    case failure(String?)
  }

  /// Why a line cannot be read.
  struct ParsingError: Error { let text: String }

  private(set) var events: [(at: Duration, symbol: Symbol)] = []
  /// How long the whole line lasts.
  private(set) var duration = Duration.zero
  private(set) var hasDurations = false

  init(_ text: String) throws(ParsingError) {
    for word in Self.words(of: text) {
      if let ending = events.last?.symbol, ending.isEnding {
        throw ParsingError(text: "nothing can follow the end, and \"\(word)\" does")
      }
      if let step = Self.duration(word) {
        duration += step
        hasDurations = true
      } else if word.allSatisfy({ $0 == "-" }) {
        throw ParsingError(text: "\"\(word)\" is no duration: write 10ms or 1.5s")
      } else if Self.isOfOtherNotation(word) {
        throw ParsingError(
          text: "\"\(word)\" is of another notation: here blanks separate events, as in a 10ms b |")
      } else {
        events.append((duration, Self.symbol(word)))
      }
    }
  }

  /// Whether dashes stand for time and a letter for an event, as in `-a--b-|`. A UUID or `-1` is not like that.
  private static func isOfOtherNotation(_ word: String) -> Bool {
    guard !word.contains(where: { "\"([{".contains($0) }), word.contains("-") else { return false }
    return word.contains("--") || word.hasSuffix("|")
      || (word.hasPrefix("-") && word.dropFirst().first?.isLetter == true)
  }

  private static func symbol(_ word: String) -> Symbol {
    if word == "|" { return .finish }
    guard word.hasPrefix("#") else { return .value(word) }
    return .failure(word == "#" ? nil : String(word.dropFirst()))
  }

  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var depth = 0
    var isQuoted = false
    for character in text {
      if character == "\"" { isQuoted.toggle() }
      if !isQuoted, "([{".contains(character) { depth += 1 }
      if !isQuoted, ")]}".contains(character) { depth -= 1 }
      if character.isWhitespace, depth <= 0, !isQuoted {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  /// A number and a unit without a blank between: `10ms`, `1.5s`, `2m`, `1h`.
  private static func duration(_ word: String) -> Duration? {
    let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let units: [String: Duration] = [
      "ns": .nanoseconds(1), "us": .microseconds(1), "µs": .microseconds(1),
      "ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600),
    ]
    guard let unit = units[String(word.dropFirst(digits.count))], digits.first != "." else {
      return nil
    }
    // Digit by digit, since a binary fraction would not be exact.
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.count <= 9 }),
      let whole = Int64(parts[0])
    else { return nil }
    var sum = unit * Int(whole)
    var part = unit
    for digit in parts.count == 2 ? parts[1] : "" {
      part /= 10
      sum += part * digit.wholeNumberValue!
    }
    return sum
  }

  // MARK: Writing

  /// The line for events with their times, from zero.
  static func text(_ events: [(at: Duration, word: String)], duration: Duration) -> String {
    var words: [String] = []
    var now = Duration.zero
    func pass(to time: Duration) {
      guard time > now else { return }
      words.append((time - now).shortDescription.filter { $0 != " " })
      now = time
    }
    for (time, word) in events {
      pass(to: time)
      words.append(word)
    }
    pass(to: duration)
    return words.joined(separator: " ")
  }
}

extension MarbleLine.Symbol {
  var isEnding: Bool { if case .value = self { false } else { true } }

  var word: String {
    switch self {
    case .value(let name): name
    case .finish: "|"
    case .failure(let name): "#\(name ?? "")"
    }
  }
}
