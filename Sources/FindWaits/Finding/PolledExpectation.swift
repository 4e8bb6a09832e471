/// Nimble's `expect(value).toEventually(matcher)`.
enum PolledExpectation {
  static func wait(at site: CallSite, in body: BodyReader) -> Wait {
    let isLasting = site.name == "toNever" || site.name == "toAlways"
    let limit = site.argument(isLasting ? "until" : "timeout")
    var wait = body.wait(
      .polledExpectation, site, limit.map { body.duration($0) })
    guard let condition = condition(at: site, in: body) else {
      wait.replacements.asynchronous = asserting(site, body)
      return wait
    }
    let call: String
    switch site.name {
    case "toNever": call = "never(during: \(wait.duration?.durationSource ?? ".seconds(1)"))"
    case "toAlways": call = "always(during: \(wait.duration?.durationSource ?? ".seconds(1)"))"
    default: call = "eventually"
    }
    wait.replacements.asynchronous = body.replacing(site, "await \(call) { \(condition) }")
    return wait
  }

  /// For other matchers: the expectation itself, tried again until it holds.
  private static func asserting(_ site: CallSite, _ body: BodyReader) -> String? {
    let once = [
      "toEventually": "to", "toEventuallyNot": "toNot", "toNotEventually": "toNot",
    ]
    guard let name = once[site.name], let matcher = site.arguments.first?.value,
      site.receiver.path.first == "expect()",
      body.tokens[site.receiver.start].line == body.tokens[site.end - 1].line
    else { return nil }
    let value = body.file.source(of: site.receiver.start..<(site.index - 1))
    let text = "\(value).\(name)(\(body.file.source(of: matcher)))"
    return body.replacing(
      site, "await eventually(asserting: \"the expectation holds\") { \(text) }")
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
    let argument = body.file.source(of: (open + 1)..<(matcher.upperBound - 1))
    switch body.tokens[matcher.lowerBound].text {
    case "beTrue": return isNegated ? "!(\(value))" : value
    case "beFalse": return isNegated ? value : "!(\(value))"
    case "beNil": return "\(value) \(isNegated ? "!=" : "==") nil"
    case "equal": return "\(value) \(isNegated ? "!=" : "==") \(argument)"
    case "beEmpty": return "\(isNegated ? "!" : "")\(value).isEmpty"
    case "beGreaterThan" where !isNegated: return "\(value) > \(argument)"
    default: return nil
    }
  }

  /// What `expect` gets, in brackets or in a closure of one line.
  private static func value(of site: CallSite, in body: BodyReader) -> String? {
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
      body.tokens[first].line == body.tokens[last].line
    else { return nil }
    return body.file.source(of: inside)
  }
}
