import Foundation
import Testing

/// Users look a failure up in the documentation by its first words.
@Suite struct MessageCatalogueTests {
  @Test func `F3 each sample in the documentation is a text that users read`() throws {
    let catalogue = try MessageCatalogue.documented
    #expect(catalogue.entries.count > 50)
    let texts = FailureCase.documented.map(\.text) + FailureText.all
    let known = Set(texts.map(\.withoutPlaces))
    // The report of a schedule, which has places in each step.
    let readme = try MessageCatalogue.file("README.md")
    for entry in catalogue.entries {
      // DocumentationTests run the tests on the page, and compare the samples under them.
      for sample in entry.samples
      where !entry.samplesOfTests.contains(sample) && !known.contains(sample.withoutPlaces)
        && !readme.contains(sample)
      {
        let candidates = texts.filter(entry.covers)
        Issue.record(
          """
          Under "\(entry.heading)" is a sample that no failure case reads:
          \(sample)
          Copy one of these:
          \(candidates.joined(separator: "\n\n"))
          """)
      }
    }
  }

  @Test func `F3 each heading has a sample that begins like it`() throws {
    let entries = try MessageCatalogue.documented.entries
    let others = entries.filter { !$0.samples.contains(where: $0.covers) }
    // The page explains these without a sample.
    #expect(
      others.map(\.heading) == [
        "always … took … of real time / never … took … of real time",
        "assertNoGrowth cannot count objects here",
        "exploreCancellation cannot follow tasks here",
        "settle() waited … but the test's tasks have not come to rest / "
          + "asyncAssert … but the test's tasks have not come to rest",
        "settle() waited … for a call of Simulation.outside / "
          + "Simulation.advance(…) waited … for a call of Simulation.outside",
        "settle() was called by code that belongs to no test / "
          + "asyncAssert … was called by code that belongs to no test",
        "For … of real time nothing has advanced the clock made at",
        "The helper made here … only its first ten failures are shown / "
          + "This line … only its first ten failures are shown",
        "The last process that explored this test died within schedule …",
        "The replay string no longer fits this test",
        "The trait … needs macOS 15",
      ])
    #expect(entries.allSatisfy { $0.samples.allSatisfy($0.covers) })
  }

  @Test func `F3 each heading has a fix`() throws {
    let entries = try MessageCatalogue.documented.entries
    #expect(entries.filter { $0.fixes != 1 }.map(\.heading) == [])
  }

  @Test func `F3 each heading with a sample has the test that fails so`() throws {
    let entries = try MessageCatalogue.documented.entries
    let others = entries.filter { !$0.samples.isEmpty && $0.samplesOfTests.isEmpty }
    // They need a real timeout, another process, a synchronous XCTest test, a thread that stays blocked, or a test
    // that has ended.
    #expect(
      others.map(\.heading) == [
        "\"…\" was called … after its test had ended",
        "advance(…) waited … for another thread",
        "advance(…) waited … of real time for the test's tasks / "
          + "run() waited … of real time for the test's tasks",
        "settle() cannot follow the tasks of this test",
        "waitFor… expected …",
        "… was called on … after its test ended",
        "… was to be released by the end of the test, but was not checked",
        "A job of the simulation has kept its thread",
        "A job of the test has kept its thread / The test has ended (…), but a task blocks the main thread",
        "Expected … asleep on the clock",
        "Schedule … passed, and failed",
        "Sleepless: … real time in simulations",
        "The code has begun work that the simulation does not control",
        "The main actor took no job",
        "The simulation was given up",
        "The tests of a SimulatedTestCase cannot be simulated here / "
          + "The tests of an ExploredTestCase cannot be simulated here",
      ])
  }

  @Test func `F3 the words of a heading without a sample are in the sources`() throws {
    let sources = try MessageCatalogue.sources
    for entry in try MessageCatalogue.documented.entries where entry.samples.isEmpty {
      #expect(entry.words.filter { !sources.contains($0) } == [], "\(entry.heading)")
    }
  }

  @Test func `F3 each failure is found in the documentation by its first words`() throws {
    let catalogue = try MessageCatalogue.documented
    for failureCase in FailureCase.documented where !catalogue.covers(failureCase.text) {
      Issue.record("No heading covers: \(failureCase.text.firstLine)")
    }
  }

  @Test func `a heading covers messages that begin like it`() {
    let catalogue = MessageCatalogue(
      page: "# Page\n### always … expected / \"…\" was called …, with")
    #expect(catalogue.covers("always expected its condition"))
    #expect(catalogue.covers("always \"quiet\" expected\nmore"))
    #expect(catalogue.covers("\"user\" was called, with 7"))
    #expect(!catalogue.covers("it always expected"))
    #expect(!catalogue.covers("always\nexpected"))
    #expect(!catalogue.covers("user was called, with 7"))
  }

  @Test func `a sample belongs to the heading before it`() {
    let catalogue = MessageCatalogue(
      page: "### A\n```text\none\n\ntwo\n```\n### B\nwords\n```text\nthree\n```")
    #expect(catalogue.entries.map(\.heading) == ["A", "B"])
    #expect(catalogue.entries.map(\.samples) == [["one\n\ntwo"], ["three"]])
  }

  @Test func `the first sample under a test is that test's`() {
    let catalogue = MessageCatalogue(
      page: """
        ### A
        **Fix:** b
        ```swift
        c
        ```
        ```text
        one
        ```
        ```text
        two
        ```
        ### B
        ```text
        3
        ```
        """)
    #expect(catalogue.entries.map(\.samplesOfTests) == [["one"], []])
    #expect(catalogue.entries.map(\.fixes) == [1, 0])
  }

  @Test func `a sample may have another place and time, but no other word`() {
    let text = "next() failed (now: 1 s): F.swift:3".withoutPlaces
    #expect("next() failed (now: 2 ms): Screen.swift:12".withoutPlaces == text)
    #expect("next() fails (now: 1 s): F.swift:3".withoutPlaces != text)
  }
}

/// The page of failures, heading by heading.
private struct MessageCatalogue {
  struct Entry {
    /// How the message begins, with `…` for anything; several beginnings have ` / ` between them.
    let heading: String
    var samples: [String] = []
    /// The samples that come next after a block of Swift.
    var samplesOfTests: [String] = []
    var fixes = 0

    /// The words of its beginnings, without the names of functions, which the sources do not repeat.
    var words: [String] {
      heading.split(separator: " / ").flatMap { $0.split(separator: /…|\w+\(\)/) }
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    func covers(_ text: String) -> Bool {
      let line = text.firstLine
      return heading.split(separator: " / ").contains { beginning in
        var rest = line[...]
        let words = beginning.replacing(" …", with: "…").split(separator: "…")
        for (index, words) in words.enumerated() {
          let isFirst = index == 0 && !beginning.hasPrefix("…")
          guard let range = rest.range(of: words, options: isFirst ? .anchored : []) else {
            return false
          }
          rest = rest[range.upperBound...]
        }
        return true
      }
    }
  }

  private(set) var entries: [Entry] = []

  init(page: String) {
    var sample: [Substring]?
    var isUnderTest = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```", let text = sample?.joined(separator: "\n") {
        entries[entries.count - 1].samples.append(text)
        if isUnderTest { entries[entries.count - 1].samplesOfTests.append(text) }
        isUnderTest = false
        sample = nil
      } else if sample != nil {
        sample?.append(line)
      } else if line.hasPrefix("### ") {
        entries.append(Entry(heading: String(line.dropFirst(4))))
        isUnderTest = false
      } else if line.hasPrefix("**Fix:** ") {
        entries[entries.count - 1].fixes += 1
      } else if line == "```swift" {
        isUnderTest = true
      } else if line == "```text" {
        sample = []
      }
    }
  }

  static var documented: MessageCatalogue {
    get throws {
      MessageCatalogue(
        page: try file("Sources/SleeplessTesting/SleeplessTesting.docc/FailureMessages.md"))
    }
  }

  /// The module's sources, with each literal on one line.
  static var sources: String {
    get throws {
      let folder = root.appending(path: "Sources/SleeplessTesting")
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      return try paths.filter { $0.hasSuffix(".swift") }
        .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        .joined().replacing(/\\\n\s*/, with: "")
    }
  }

  static func file(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static var root: URL {
    URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  func covers(_ text: String) -> Bool { entries.contains { $0.covers(text) } }
}

extension FailureCase {
  /// Every kind of failure that the page explains.
  fileprivate static var documented: [FailureCase] {
    recording + doubles + asserting + guardRunningOut + simulating + exploring + memory
      + virtualTime
      + [aBlockedMainActor, memoryWithLostEnd, memoryWithoutEnd]
  }
}

extension String {
  /// With the same file and line everywhere, and without real times.
  fileprivate var withoutPlaces: String {
    withoutTimes.replacing(#/[A-Za-z+]+\.swift:\d+/#, with: "Some.swift:1")
  }
}
