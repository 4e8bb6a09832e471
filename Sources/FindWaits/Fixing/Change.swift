/// A line that makes a test, or all tests of an XCTest case, run in a simulation.
struct Change: Equatable, Sendable {
  let file: String
  /// From one.
  let line: Int
  let before: String
  let after: String
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

  /// `line` returns a line of a file. With `tries`, a case gets the base class also if tests of it ask for more than
  /// that: whether they pass decides. One that is to be left alone may pass and test nothing, so that it still counts.
  init(
    _ report: Report, tries: Bool = false, line: (_ file: String, _ number: Int) -> String?
  ) {
    let cases = Dictionary(grouping: report.tests) { $0.changedType }
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
      guard test.verdict == .trait, let replacement = test.places[0].replacements.first else {
        rest.append(
          Rest(name: test.name, reason: "\(test.verdict.rawValue), which is yours to write"))
        continue
      }
      guard seen.insert([replacement.file, "\(replacement.line)"]).inserted else { continue }
      let before = line(replacement.file, replacement.line) ?? ""
      let isCase = test.isOfXCTest
      if isCase, let other = cases[test.changedType]?.first(where: needsMore) {
        rest.append(
          Rest(
            name: test.changedType,
            reason: "of \(other.name) it would be too much: \(other.verdict.rawValue)"))
        continue
      }
      guard let after = isCase ? before.withSimulatedBase : before.withSimulatedTrait else {
        rest.append(
          Rest(
            name: test.name,
            reason: "\(replacement.file):\(replacement.line) is written in another way"))
        continue
      }
      let names = isCase ? test.base?.cases ?? [test.changedType] : [test.name]
      changes.append(
        Change(
          file: replacement.file, line: replacement.line, before: before, after: after,
          name: isCase ? test.changedType : test.name,
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

extension String {
  /// `@Test("a toast", arguments: [1]) func` with `.simulated` in its place; nil if it goes on in the next line.
  fileprivate var withSimulatedTrait: String? {
    guard let attribute = range(ofWord: "@Test") else { return nil }
    let rest = self[attribute.upperBound...]
    guard rest.first == "(" else {
      return self[..<attribute.upperBound] + "(.simulated)" + rest
    }
    var place = rest.index(after: rest.startIndex)
    if place < endIndex, self[place] == "\"" {
      // Behind the name that is shown.
      guard let end = self[index(after: place)...].firstIndex(of: "\""),
        !self[place..<end].contains("\\")
      else {
        return nil
      }
      place = index(after: end)
      guard place < endIndex else { return nil }
      return self[..<place] + ", .simulated" + self[place...]
    }
    guard place < endIndex, self[place...].contains(where: { !$0.isWhitespace }) else { return nil }
    return self[..<place] + (self[place] == ")" ? ".simulated" : ".simulated, ") + self[place...]
  }

  fileprivate var withSimulatedBase: String? {
    guard let base = range(ofWord: "XCTestCase") else { return nil }
    return self[..<base.lowerBound] + "SimulatedTestCase" + self[base.upperBound...]
  }

  /// The only place of a word; nil if there is none, or more than one.
  private func range(ofWord word: String) -> Range<Index>? {
    let ranges = self.ranges(of: word).filter { range in
      let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
      let after = range.upperBound < endIndex ? self[range.upperBound] : " "
      return ![before, after].contains { $0.isLetter || $0.isNumber || $0 == "_" }
    }
    return ranges.count == 1 ? ranges[0] : nil
  }
}
