import Testing

@testable import FindWaits

@Suite struct DurationExpressionTests {
  @Test(arguments: [
    ("0.5", 0.5), ("1 + 2 * 3", 7), (".seconds(2)", 2), ("Duration.milliseconds(5)", 0.005),
    (".now() + 0.5", 0.5), (".now() + .microseconds(7)", 7e-6), ("Date() + 1", 1),
    ("Date().addingTimeInterval(2)", 2), ("Date(timeIntervalSinceNow: 3)", 3),
    (".init(timeIntervalSinceNow: 3)", 3), ("ContinuousClock.now.advanced(by: .seconds(4))", 4),
    ("TimeInterval(6)", 6), ("(1 + 1) / 4", 0.5), ("-1", 0), (".zero", 0), ("1.seconds", 1),
    ("limit", 9), ("Self.limit * 2", 18), ("1_000", 1000),
  ])
  func `literals and constants have a value`(source: String, seconds: Double) throws {
    #expect(try value(source, unit: 1) == seconds)
  }

  @Test(arguments: [
    ("1_000_000", 1e-9, 0.001), ("NSEC_PER_SEC / 10", 1e-9, 0.1),
    ("UInt64(0.5 * Double(NSEC_PER_SEC))", 1e-9, 0.5), ("500_000", 1e-6, 0.5),
  ])
  func `a number has the unit of the call`(source: String, unit: Double, seconds: Double) throws {
    #expect(try value(source, unit: unit) == seconds)
  }

  @Test(arguments: ["delay", "f()", "1 +", ".seconds(delay)", "a ? 1 : 2", "", "1 / 0"])
  func `what is not known has no value`(source: String) throws {
    #expect(try value(source, unit: 1) == nil)
  }

  typealias Form = DurationExpression.Form

  static let sources: [(String, Form, String?)] = [
    ("0.5", .number(unit: 1), ".milliseconds(500)"), ("1.5", .number(unit: 1), ".seconds(1.5)"),
    ("delay", .number(unit: 1), ".seconds(delay)"),
    ("delay", .number(unit: 1e-6), ".microseconds(delay)"),
    ("100_000", .number(unit: 1e-6), ".milliseconds(100)"), (".pi", .number(unit: 1), nil),
    ("delay", .duration, "delay"), (".seconds(delay)", .duration, ".seconds(delay)"),
    ("Duration.seconds(n)", .duration, "Duration.seconds(n)"),
    ("delay + .milliseconds(10)", .duration, "delay + .milliseconds(10)"),
    (".now + delay", .instant, "delay"), ("clock.now + .seconds(n)", .instant, ".seconds(n)"),
    ("ContinuousClock.now.advanced(by: a as B)", .instant, "a as B"),
    ("deadline", .instant, nil), ("start + delay", .instant, nil), (".now - delay", .instant, nil),
    ("Date() + delay", .date, ".seconds(delay)"), (".now + a * b", .date, ".seconds(a * b)"),
    ("Date(timeIntervalSinceNow: delay + 0.1)", .date, ".seconds(delay + 0.1)"),
    (".init(timeIntervalSinceNow: f(1))", .date, ".seconds(f(1))"),
    ("Date().addingTimeInterval(delay)", .date, ".seconds(delay)"),
    ("Date().addingTimeInterval(a).addingTimeInterval(b)", .date, nil),
    (".distantFuture", .date, nil), ("deadline", .date, nil),
    (".seconds(n)", .other, ".seconds(n)"), (".seconds(n) + limit", .other, nil),
    ("limit", .other, nil), ("2", .other, ".seconds(2)"),
  ]

  @Test(arguments: sources) func `it is written as a Duration if that means the same`(
    source: String, form: Form, text: String?
  ) throws {
    #expect(expression(source, form).durationSource == text)
  }

  private func value(_ source: String, unit: Double) throws -> Double? {
    let constant = Lexer.tokens(of: Array("9".utf8)).tokens
    return expression(source, .number(unit: unit)).seconds { $0 == "limit" ? constant : nil }
  }

  private func expression(_ source: String, _ form: Form) -> DurationExpression {
    DurationExpression(
      tokens: Lexer.tokens(of: Array(source.utf8)).tokens, source: source, form: form)
  }
}
