import Foundation

/// The page of failures, heading by heading.
struct MessageCatalogue {
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
  /// Each block of Swift with the sample that comes next.
  private var outputs: [(code: String, sample: String)] = []

  init(page: String) {
    var sample: [Substring]?
    var code: [Substring] = []
    var isCode = false
    var isUnderTest = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```", let text = sample?.joined(separator: "\n") {
        entries[entries.count - 1].samples.append(text)
        if isUnderTest {
          entries[entries.count - 1].samplesOfTests.append(text)
          outputs.append((code.joined(separator: "\n"), text))
        }
        isUnderTest = false
        sample = nil
      } else if sample != nil {
        sample?.append(line)
      } else if isCode {
        if line == "```" { isCode = false } else { code.append(line) }
      } else if line.hasPrefix("### ") {
        entries.append(Entry(heading: String(line.dropFirst(4))))
        isUnderTest = false
      } else if line.hasPrefix("**Fix:** ") {
        entries[entries.count - 1].fixes += 1
      } else if line == "```swift" {
        isUnderTest = true
        isCode = true
        code = []
      } else if line == "```text" {
        sample = []
      }
    }
  }

  /// The sample under the test with that name.
  func output(of test: String) -> String? {
    outputs.first { $0.code.contains("func \(test)(") }?.sample
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

extension String {
  /// With the same file and line everywhere, and without real times.
  var withoutPlaces: String {
    withoutTimes.replacing(#/[A-Za-z+]+\.swift:\d+/#, with: "Some.swift:1")
  }
}
