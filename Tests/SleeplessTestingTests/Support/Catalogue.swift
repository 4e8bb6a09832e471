import Foundation
import Testing

/// Expects a page of the documentation to show the failures of all cases, word for word.
func expectCatalogue(_ page: String, shows failureCases: [FailureCase]) throws {
  let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let article = root.appendingPathComponent(
    "Sources/SleeplessTesting/SleeplessTesting.docc/\(page).md")
  let text = try String(contentsOf: article, encoding: .utf8).withoutPlaces
  for failureCase in failureCases {
    #expect(
      text.contains("```text\n\(failureCase.text.withoutPlaces)\n```"),
      "\(failureCase.name) is missing or different")
  }
}

extension String {
  /// With the same file and line everywhere, and without real times.
  var withoutPlaces: String {
    withoutTimes.replacing(#/[A-Za-z+]+\.swift:\d+/#, with: "Some.swift:1")
  }
}
