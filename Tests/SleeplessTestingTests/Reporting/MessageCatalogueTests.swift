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
    // It needs an older system of Apple's.
    #expect(others.map(\.heading) == ["The trait … needs macOS 15"])
    #expect(entries.allSatisfy { $0.samples.allSatisfy($0.covers) })
  }

  @Test func `F3 each heading has a fix`() throws {
    let entries = try MessageCatalogue.documented.entries
    #expect(entries.filter { $0.fixes != 1 }.map(\.heading) == [])
  }

  @Test func `F3 each heading with a sample has the test that fails so`() throws {
    let entries = try MessageCatalogue.documented.entries
    let others = entries.filter { !$0.samples.isEmpty && $0.samplesOfTests.isEmpty }
    // No test is known whose end does not come.
    #expect(
      others.map(\.heading) == [
        "… was to be released by the end of the test, but was not checked"
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

extension FailureCase {
  /// Every kind of failure that the page explains.
  fileprivate static var documented: [FailureCase] {
    recording + doubles + asserting + timeoutRunningOut + simulating + exploring + memory
      + virtualTime
      + [aBlockedMainActor, memoryWithLostEnd, memoryWithoutEnd]
  }
}
