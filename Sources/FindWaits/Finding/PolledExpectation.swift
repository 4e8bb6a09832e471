/// Nimble's `expect(value).toEventually(matcher)`.
enum PolledExpectation {
  static func wait(at site: CallSite, in body: BodyReader) -> Wait {
    let isLasting = site.name == "toNever" || site.name == "toAlways"
    let limit = site.argument(isLasting ? "until" : "timeout")
    var wait = body.wait(
      .polledExpectation, site, limit.map { body.duration($0) })
    // Of another type than `Duration`, and of a value that the source does not tell.
    let duration = wait.duration.map(\.durationSource)
    if case .some(nil) = duration { return wait }
    guard let condition = condition(at: site, in: body) else {
      wait.replacements.asynchronous = asserting(site, within: duration ?? nil, body)
      return wait
    }
    let call: String
    switch (site.name, duration ?? nil) {
    case ("toNever", let duration): call = "never(during: \(duration ?? ".seconds(1)"))"
    case ("toAlways", let duration): call = "always(during: \(duration ?? ".seconds(1)"))"
    case (_, let limit?): call = "eventually(within: \(limit))"
    case (_, nil): call = "eventually"
    }
    wait.replacements.asynchronous = body.replacing(site, "await \(call) { \(condition) }")
    return wait
  }

  /// For other matchers: the expectation itself, tried again until it holds.
  private static func asserting(
    _ site: CallSite, within limit: String?, _ body: BodyReader
  ) -> String? {
    let once = [
      "toEventually": "to", "toEventuallyNot": "toNot", "toNotEventually": "toNot",
    ]
    guard let name = once[site.name], let matcher = site.arguments.first?.value,
      site.receiver.path.first == "expect()",
      body.tokens[site.receiver.start].line == body.tokens[site.end - 1].line
    else { return nil }
    let receiver = site.receiver.start..<(site.index - 1)
    // Where its `await` has to stand depends on the version of Nimble.
    guard !body.tokens[receiver].contains(where: { $0.isWord("await") }) else { return nil }
    let value = body.file.source(of: receiver)
    let text = "\(value).\(name)(\(body.file.source(of: matcher)))"
    let within = limit.map { ", within: \($0)" } ?? ""
    return body.replacing(
      site, "await eventually(asserting: \"the expectation holds\"\(within)) { \(text) }")
  }

  /// The condition that the matcher stands for; nil if the matcher is another than the usual ones.
  private static func condition(at site: CallSite, in body: BodyReader) -> String? {
    guard let value = value(of: site, in: body), let matcher = site.arguments.first?.value,
      body.tokens[matcher.lowerBound].isName
    else { return nil }
    let isNegated = site.name == "toEventuallyNot" || site.name == "toNotEventually"
    let open = matcher.lowerBound + 1
    guard open < matcher.upperBound, body.tokens[open].isSign("("),
      body.file.partner(of: open) == matcher.upperBound - 1
    else { return nil }
    let inside = (open + 1)..<(matcher.upperBound - 1)
    // `equal(1, by: 2)` is another matcher.
    guard body.file.arguments(in: inside).count <= 1 else { return nil }
    let argument = Operand(inside, in: body.file).text
    switch body.tokens[matcher.lowerBound].text {
    case "beTrue": return value.is(!isNegated)
    case "beFalse": return value.is(isNegated)
    case "beNil": return "\(value.text) \(isNegated ? "!=" : "==") nil"
    case "equal": return "\(value.text) \(isNegated ? "!=" : "==") \(argument)"
    case "beEmpty": return value.isEmpty(!isNegated)
    case "beGreaterThan" where !isNegated && !value.isOptional:
      return "\(value.text) > \(argument)"
    default: return nil
    }
  }

  /// What `expect` gets, in brackets or in a closure of one expression on one line.
  private static func value(of site: CallSite, in body: BodyReader) -> Operand? {
    let start = site.receiver.start
    // `require` returns the value, which a statement that begins with it does not use.
    let isStatement = body.tokens[body.file.expressionStart(of: site)].startsLine
    guard
      site.receiver.path == ["expect()"] || site.receiver.path == ["require()"] && isStatement,
      start + 1 < site.index
    else { return nil }
    let open = start + 1
    let inside = (open + 1)..<body.file.partner(of: open)
    guard let first = inside.first, let last = inside.last,
      body.tokens[first].line == body.tokens[last].line,
      body.file.index(of: ",", in: inside) == nil, body.file.index(of: ";", in: inside) == nil,
      // `expect(file: file)`, and a closure with a head or a statement
      !(body.tokens[first].isName && body.tokens[first + 1].isSign(":")),
      !body.tokens[inside].contains(where: { $0.isWord("in") || $0.isWord("return") })
    else { return nil }
    return Operand(inside, in: body.file)
  }
}

/// An expression on one side of an operator.
private struct Operand {
  /// Its `try` and `await`, which stand before the whole condition.
  private let effects: String
  private let operand: String
  private let source: String
  private let isInBrackets: Bool
  /// Whether it is optional, as far as the source tells: `model?.isLoaded`.
  let isOptional: Bool

  init(_ range: Range<Int>, in file: SourceFile) {
    let tokens = file.tokens
    var start = range.lowerBound
    while start + 1 < range.upperBound,
      tokens[start].isWord("await") || tokens[start].isWord("try"),
      !tokens[start + 1].isSign("?"), !tokens[start + 1].isSign("!")
    {
      start += 1
    }
    effects = start > range.lowerBound ? file.source(of: range.lowerBound..<start) + " " : ""
    source = file.source(of: range)
    let rest = start..<range.upperBound
    let isNegative =
      rest.count == 2 && tokens[start].isSign("-") && tokens[start + 1].kind == .number
    isInBrackets = !rest.isEmpty && !isNegative && !file.isOperand(rest)
    operand = isInBrackets ? "(\(file.source(of: rest)))" : file.source(of: rest)
    isOptional = file.index(of: "?", in: rest) != nil && file.index(of: ":", in: rest) == nil
  }

  var text: String { effects + operand }

  /// The condition that it is true, or that it is false. Nimble takes nil for neither.
  func `is`(_ value: Bool) -> String {
    if isOptional { return "\(text) == \(value)" }
    return value ? source : "!(\(source))"
  }

  func isEmpty(_ value: Bool) -> String {
    if isOptional { return "\(text)\(isInBrackets ? "?" : "").isEmpty == \(value)" }
    return "\(effects)\(value ? "" : "!")\(operand).isEmpty"
  }
}
