import TestSupport
import Testing

/// For tests that FailureMessages.md shows with their failure: expects the failure, and compares it with the page.
struct FailsAsShownTrait: SuiteTrait, TestTrait, TestScoping {
  /// How many failures come before the one on the page.
  var before = 0

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !test.isSuite else { return try await function() }
    let failures = Log<String>()
    try await withKnownIssue {
      try await function()
    } matching: { issue in
      let comments = issue.comments.map(\.rawValue)
      if !comments.isEmpty { failures.append(comments.joined(separator: "\n")) }
      return true
    }
    // The optimiser changes the steps of schedules.
    #if DEBUG
      let name = test.displayName ?? test.name
      let shown = try MessagePage.sample(ofTest: name)
      let printed = failures.values.dropFirst(before).joined(separator: "\n")
      #expect(
        shown?.withoutPlaces == printed.withoutPlaces,
        "\(MessagePage.path) must show for the test \"\(name)\":\n<<<\n\(printed)\n>>>")
    #endif
  }
}

extension Trait where Self == FailsAsShownTrait {
  static var failsAsShown: Self { FailsAsShownTrait() }

  /// For a test with failures before the one that the page shows.
  static func failsAsShown(after failures: Int) -> Self { FailsAsShownTrait(before: failures) }
}

/// The page of failure messages.
enum MessagePage {
  static let path = "Sources/SleeplessTesting/SleeplessTesting.docc/FailureMessages.md"

  /// The first block of text after the block of Swift with the test.
  static func sample(ofTest name: String) throws -> String? {
    let file = try TextFile(path: path)
    guard let block = file.codeBlocks.first(where: { $0.declares(name) }) else { return nil }
    let rest = file.lines[(block.line + block.code.count + 1)...].drop { $0 != "```text" }
    return rest.dropFirst().prefix { $0 != "```" }.joined(separator: "\n")
  }
}

extension CodeBlock {
  fileprivate func declares(_ test: String) -> Bool {
    code.contains { $0.contains("func `\(test)`") }
  }
}

extension String {
  /// With the same line and the same thread everywhere, and without the suite's name.
  fileprivate var withoutPlaces: String {
    replacing(/[A-Za-z]+\.swift:\d+/, with: "Some.swift:1")
      .replacing(/thread \d+( "[^"]*")?/, with: "thread 1")
      .replacing(/(Name|Function|Word|Queue|Timeout|Eleventh|Twelfth)Messages\./, with: "")
  }
}
