/// A trait or a base class that makes a test, or all tests of an XCTest case, run in a simulation.
struct Change: Equatable, Sendable {
  let file: String
  let edit: Edit
  /// The test or the case, as the report names it.
  let name: String
  /// What `swift test --filter` runs.
  let filter: String
}

/// The changes that are certain, and why others are none.
struct ChangePlan: Equatable, Sendable {
  struct Rest: Equatable, Sendable {
    let name: String
    let reason: String
  }

  private(set) var changes: [Change] = []
  private(set) var rest: [Rest] = []

  /// `all` also has the tests that a baseline leaves out: a case changes for them, too. With `tries`, a case gets the
  /// base class also if tests of it ask for more than that: whether they pass decides. One that is to be left alone may
  /// pass and test nothing, so that it still counts.
  init(_ report: Report, of all: Report? = nil, tries: Bool = false) {
    let cases = Dictionary(grouping: (all ?? report).tests) { $0.changedType }
    var seen: Set<[String]> = []
    let needsMore = { (test: WaitingTest) in
      tries ? test.verdict == .leave : test.verdict != .trait
    }
    let tried = cases.filter { tests in
      tries && tests.value.contains { $0.verdict == .trait }
        && !tests.value.contains { needsMore($0) || !$0.isOfXCTest }
    }
    for test in report.tests {
      if tried[test.changedType] != nil, test.verdict != .trait { continue }
      guard test.verdict == .trait, let replacement = test.places[0].replacements.first,
        let edit = replacement.edit
      else {
        rest.append(
          Rest(name: test.name, reason: "\(test.verdict.rawValue), which is yours to write"))
        continue
      }
      guard seen.insert([replacement.file, "\(edit.range)"]).inserted else { continue }
      let isCase = test.isOfXCTest
      if isCase, let other = cases[test.changedType]?.first(where: needsMore) {
        rest.append(
          Rest(
            name: test.changedType,
            reason: "of \(other.name) it would be too much: \(other.verdict.rawValue)"))
        continue
      }
      let names = isCase ? test.base?.cases ?? [test.changedType] : [test.name]
      changes.append(
        Change(
          file: replacement.file, edit: edit, name: isCase ? test.changedType : test.name,
          filter: Self.filter(names, areCases: isCase)))
    }
  }

  /// `Cart.a toast` is `AppTests.Cart/a toast` in XCTest, and `` AppTests.Cart/`a toast`()/… `` in Swift Testing.
  private static func filter(_ names: [String], areCases: Bool) -> String {
    let patterns = names.map { name in
      let parts = name.split(separator: ".").map { part in
        String(part.flatMap { #"\^$.|?*+()[]{}"#.contains($0) ? ["\\", $0] : [$0] })
      }
      return parts.joined(separator: "`?[./]`?")
    }
    let pattern = patterns.count == 1 ? patterns[0] : "(\(patterns.joined(separator: "|")))"
    return #"^[^./]+\.`?"# + pattern + (areCases ? "/" : #"`?(\(|/|$)"#)
  }
}

extension WaitingTest {
  fileprivate var isOfXCTest: Bool { framework == SourcePackage.Framework.xctest.rawValue }

  /// The name of the type whose base would change, or else of the type that it is in.
  fileprivate var changedType: String {
    base?.name ?? name.split(separator: ".").dropLast().joined(separator: ".")
  }
}
