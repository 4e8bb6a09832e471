import Foundation

/// The names of Swift Testing's tests in reports.
package enum TestName {
  /// The suites and the function, as `find-waits` names a test: `AppTests.Suite/test()/File.swift:3:2` is `Suite.test`.
  /// A name between backticks may have any characters.
  package static func of(id: String, function: String) -> String {
    let suites =
      id.range(of: "/" + function + "/", options: .backwards)
      .map { id[..<$0.lowerBound] }.map { $0.drop { $0 != "." }.dropFirst() } ?? ""
    let parts = suites.split(separator: "/") + [function[...]]
    return parts.map { part in
      if part.hasPrefix("`"), let end = part.dropFirst().firstIndex(of: "`") {
        return String(part[part.index(after: part.startIndex)..<end])
      }
      return String(part.prefix { $0 != "(" })
    }.joined(separator: ".")
  }
}
