/// The source of a duration, such as `.seconds(1)` or `2 * NSEC_PER_SEC`.
struct DurationExpression: Sendable {
  /// What the parameter of a call takes.
  enum Form: Equatable, Sendable {
    /// A `Duration`.
    case duration
    /// A number, and what 1 means in seconds.
    case number(unit: Double)
    /// The instant of a clock, to which durations can be added.
    case instant
    /// A `Date`, to which seconds can be added.
    case date
    /// A type of another library; a number means seconds.
    case other
  }

  let tokens: [Token]
  let source: String
  let form: Form

  /// Its value in seconds, if it is built from literals and known constants.
  func seconds(_ constants: @escaping (_ name: String) -> [Token]?) -> Double? {
    var reader = Reader(tokens: tokens[...], constants: constants)
    guard let value = reader.sum(), reader.tokens.isEmpty else { return nil }
    var seconds = value.number
    if case .number(let unit) = form, !value.isDuration { seconds *= unit }
    // Sums of more than that many seconds, which nobody waits for, could be infinite.
    return seconds < 1e15 ? max(0, seconds) : nil
  }

  /// The source of an argument of type `Duration` that means the same; nil if none is known to.
  var durationSource: String? {
    if let seconds = seconds({ _ in nil }) { return Self.source(ofSeconds: seconds) }
    switch form {
    case .duration:
      return source
    case .number(let unit):
      return Self.source(of: source, tokens, unit: unit)
    case .instant:
      return sinceNow(after: ["advanced", "(", "by", ":"]).map { text(of: $0) }
    case .date:
      return sinceNow(after: ["addingTimeInterval", "("]).flatMap {
        Self.source(of: text(of: $0), $0, unit: 1)
      }
    case .other:
      // `.seconds(limit)`, also if that is not the `seconds` of `Duration`.
      let isCall =
        tokens.count > 3 && tokens[0].isSign(".") && Self.units[tokens[1].text] != nil
        && tokens[2].isSign("(") && isClosed(tokens[3...])
      return isCall ? source : nil
    }
  }

  private static let units = [
    "seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9,
  ]

  /// The source of a duration of so many units. A number that begins with a point depends on the type that it gets.
  private static func source<Tokens: Collection<Token>>(
    of text: String, _ tokens: Tokens, unit: Double
  ) -> String? {
    guard tokens.first?.isSign(".") == false else { return nil }
    return units.first { $0.value == unit }.map { ".\($0.key)(\(text))" }
  }

  /// What is added to the present instant: by `+`, by a method whose call begins with `words`, or in
  /// `Date(timeIntervalSinceNow:)`.
  private func sinceNow(after words: [String]) -> ArraySlice<Token>? {
    for head in [["Date"], [".", "init"]] {
      let call = head + ["(", "timeIntervalSinceNow", ":"]
      if form == .date, starts(with: call) { return inside(tokens[call.count...]) }
    }
    guard let end = endOfNow else { return nil }
    let rest = tokens[end...]
    if rest.first?.isSign("+") == true { return rest.count > 1 ? rest.dropFirst() : nil }
    let method = ["."] + words
    return rest.prefix(method.count).map(\.text) == method
      ? inside(rest.dropFirst(method.count)) : nil
  }

  /// The place behind `.now`, `Date()` or `clock.now` at the beginning.
  private var endOfNow: Int? {
    if form == .date {
      return [["Date", "(", ")"], ["Date", ".", "now"], [".", "now"]].first(where: starts)?.count
    }
    if starts(with: [".", "now"]) { return 2 }
    return tokens.count > 2 && tokens[0].isName && tokens[1].isSign(".")
      && tokens[2].isWord("now") ? 3 : nil
  }

  private func starts(with words: [String]) -> Bool {
    tokens.prefix(words.count).map(\.text) == words
  }

  /// Some tokens without their last one, if that closes the bracket before them.
  private func inside(_ rest: ArraySlice<Token>) -> ArraySlice<Token>? {
    rest.count > 1 && isClosed(rest) ? rest.dropLast() : nil
  }

  /// Whether the bracket before some tokens is closed by the last of them.
  private func isClosed(_ rest: ArraySlice<Token>) -> Bool {
    var depth = 1
    for (index, token) in zip(rest.indices, rest) where token.kind == .sign {
      if token.isOpening { depth += 1 }
      if [")", "]", "}"].contains(token.text) { depth -= 1 }
      if depth == 0 { return index == rest.endIndex - 1 }
    }
    return false
  }

  private func text(of part: ArraySlice<Token>) -> String {
    guard let first = part.first, let last = part.last else { return "" }
    let start = tokens[0].range.lowerBound
    return String(
      decoding: Array(source.utf8)[
        (first.range.lowerBound - start)..<(last.range.upperBound - start)], as: UTF8.self)
  }

  private static func source(ofSeconds seconds: Double) -> String {
    let milliseconds = (seconds * 1e9).rounded() / 1e6
    if seconds >= 1 || milliseconds != milliseconds.rounded() {
      return ".seconds(\(seconds.plainText))"
    }
    return ".milliseconds(\(milliseconds.plainText))"
  }

  private struct Value {
    var number: Double
    /// Whether the number is seconds, whatever the unit.
    var isDuration: Bool
  }

  private struct Reader {
    var tokens: ArraySlice<Token>
    let constants: (String) -> [Token]?
    var depth = 0

    mutating func sum() -> Value? {
      guard var value = product() else { return nil }
      while let sign = tokens.first, sign.isSign("+") || sign.isSign("-") {
        tokens.removeFirst()
        guard let other = product() else { return nil }
        value.number += sign.text == "+" ? other.number : -other.number
        value.isDuration = value.isDuration || other.isDuration
      }
      return value
    }

    private mutating func product() -> Value? {
      guard var value = primary() else { return nil }
      while let sign = tokens.first, sign.isSign("*") || sign.isSign("/") {
        tokens.removeFirst()
        guard let other = primary() else { return nil }
        value.number = sign.text == "*" ? value.number * other.number : value.number / other.number
        value.isDuration = value.isDuration || other.isDuration
      }
      return value
    }

    private static let units: [String: Double] = [
      "seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9, "minutes": 60,
      "hours": 3600,
    ]
    private static let numbers: [String: Double] = [
      "NSEC_PER_SEC": 1e9, "NSEC_PER_MSEC": 1e6, "NSEC_PER_USEC": 1e3, "USEC_PER_SEC": 1e6,
    ]
    private static let conversions: Set = [
      "Double", "TimeInterval", "UInt64", "UInt32", "Int", "Int64", "CGFloat", "useconds_t",
      "Float",
      "UInt", "Duration", "DispatchTimeInterval",
    ]

    /// An instant counts as zero, so the sum of an instant and a duration is the duration.
    private mutating func primary() -> Value? {
      guard let token = tokens.popFirst() else { return nil }
      if token.isSign("-") {
        return primary().map { Value(number: -$0.number, isDuration: $0.isDuration) }
      }
      if token.isSign("(") {
        guard let value = sum(), take(")") else { return nil }
        return value
      }
      if token.kind == .number { return Self.number(token.text).map { member(of: $0) } ?? nil }
      return token.isSign(".") ? member() : token.isName ? named(token) : nil
    }

    /// What follows the point of `.seconds(1)`, `.now()` or `.zero`.
    private mutating func member() -> Value? {
      guard let name = tokens.popFirst(), name.isName else { return nil }
      if let unit = Self.units[name.text] {
        guard take("("), let value = sum(), take(")") else { return nil }
        return afterPoint(Value(number: value.number * unit, isDuration: true))
      }
      switch name.text {
      case "zero": return Value(number: 0, isDuration: true)
      case "now":
        if take("("), !take(")") { return nil }
        return afterPoint(Value(number: 0, isDuration: true))
      case "init": return take("(") ? instant() : nil
      default: return constant(name.text)
      }
    }

    private mutating func named(_ token: Token) -> Value? {
      if let number = Self.numbers[token.text] { return Value(number: number, isDuration: false) }
      if Self.conversions.contains(token.text), take("(") {
        guard let value = sum(), take(")") else { return nil }
        return value
      }
      if ["Date", "NSDate", "DispatchTime", "ContinuousClock", "SuspendingClock"].contains(
        token.text)
      {
        if take("(") { return instant() }
        return take(".") ? member() : nil
      }
      if take("(") { return nil }
      // `Self.limit`, `Duration.seconds(1)`, `clock.now`.
      if take(".") { return member() }
      return constant(token.text)
    }

    /// What is in the brackets of `Date(timeIntervalSinceNow: 1)`, and what follows them.
    private mutating func instant() -> Value? {
      if take(")") { return afterPoint(Value(number: 0, isDuration: false)) }
      guard let label = tokens.popFirst(), label.text == "timeIntervalSinceNow", take(":"),
        let value = sum(), take(")")
      else { return nil }
      return value
    }

    /// Adds what `.addingTimeInterval(1)` and `.advanced(by: .seconds(1))` add.
    private mutating func afterPoint(_ value: Value) -> Value? {
      guard take(".") else { return value }
      guard let name = tokens.popFirst(), take("(") else { return nil }
      switch name.text {
      case "advanced":
        guard tokens.popFirst()?.text == "by", take(":") else { return nil }
      case "addingTimeInterval":
        break
      default:
        return nil
      }
      guard let other = sum(), take(")") else { return nil }
      return Value(
        number: value.number + other.number, isDuration: value.isDuration && other.isDuration)
    }

    /// `1.seconds`, `500.milliseconds`: of libraries that extend numbers.
    private mutating func member(of number: Double) -> Value? {
      guard tokens.first?.isSign(".") == true, tokens.count > 1 else {
        return Value(number: number, isDuration: false)
      }
      tokens.removeFirst()
      guard let name = tokens.popFirst(), let unit = Self.units[name.text] else { return nil }
      return Value(number: number * unit, isDuration: true)
    }

    private mutating func constant(_ name: String) -> Value? {
      guard depth < 4, let tokens = constants(name) else { return nil }
      var reader = Reader(tokens: tokens[...], constants: constants, depth: depth + 1)
      guard let value = reader.sum(), reader.tokens.isEmpty else { return nil }
      return value
    }

    private mutating func take(_ text: String) -> Bool {
      guard tokens.first?.kind == .sign, tokens.first?.text == text else { return false }
      tokens.removeFirst()
      return true
    }

    private static func number(_ text: String) -> Double? {
      Double(text.filter { $0 != "_" })
    }
  }
}

extension Double {
  /// Without a point if it is a whole number: `2`, `0.5`.
  var plainText: String {
    // Sums of literals have errors in the last digits.
    let rounded = (self * 1e9).rounded() / 1e9
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }
}
