import SleeplessSimulation
import SleeplessTesting
import TestSupport
import Testing

/// For a state of the tutorial's code in which a test fails: expects the failures, and compares them with those that
/// the tutorial shows.
struct FailsTrait: SuiteTrait, TestTrait, TestScoping {
  /// The tutorial's file with the failures; nil if it does not show them.
  let output: String?
  /// A part of the name of the test that fails; nil if each test of the suite fails.
  let name: String?
  /// A part of a failure's text.
  var text: String?
  /// Whether the test fails in some runs only.
  let isIntermittent: Bool
  /// The tutorial's files with the code that the failures show.
  var sources: [String] = []

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if let name, !test.name.contains(name) { return try await function() }
    let failures = Log<String>()
    try await withKnownIssue(isIntermittent: isIntermittent) {
      try await SourceExcerpt.$contents.withValue(Tutorial.contents(of: sources)) {
        try await function()
      }
    } matching: { issue in
      failures.append(issue.asPrinted)
      return true
    }
    // The optimiser changes the steps of a schedule and the string that replays it.
    #if DEBUG
      if let text {
        #expect(failures.values.contains { $0.contains(text) }, "\(failures.values)")
      }
      guard let output else { return }
      let shown = try TextFile(path: "\(Tutorial.code)/\(output)").lines.joined(separator: "\n")
      let printed = try Tutorial.asInTutorial(failures.values.joined(separator: "\n"))
      // Longer names are broken at other places.
      #expect(printed.words == shown.words, "\(output) must have this text:\n\(printed)")
    #endif
  }
}

extension Trait where Self == FailsTrait {
  static func fails(
    as output: String? = nil, in name: String? = nil, showing sources: [String] = []
  ) -> Self {
    FailsTrait(output: output, name: name, isIntermittent: false, sources: sources)
  }

  static func fails(saying text: String) -> Self {
    FailsTrait(output: nil, name: nil, text: text, isIntermittent: false)
  }

  static var mayFail: Self { FailsTrait(output: nil, name: nil, isIntermittent: true) }
}

extension Issue {
  /// The file, the line and the text.
  var asPrinted: String {
    let place = sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
    let texts = comments.map(\.rawValue)
    // An issue's own description ends with its severity, which a terminal shows with a symbol.
    let text =
      texts.isEmpty ? "\(self)".replacing("(error)", with: "") : texts.joined(separator: "\n")
    return place + text
  }
}

extension String {
  var words: [Substring] { split(whereSeparator: \.isWhitespace) }
}
