import Testing

/// A newcomer finds each folder, and no file that has gone, in CONTRIBUTING.
@Suite struct HouseRuleTests {
  @Test func `every folder of sources has its row`() throws {
    let rows = try contributing.rows
    let folders = TextFile.folders(under: "Sources").filter { $0 != "Sources" }
    #expect(folders.count > 20)
    #expect(folders.filter { !rows.contains($0) }.sorted() == [])
  }

  @Test func `every file and folder that is named exists`() throws {
    let names = ["Sources", "Tests"].flatMap(TextFile.paths).map { $0.split(separator: "/").last }
    let files = Set(names)
    let missing = try contributing.missing { path in
      path.contains("/")
        ? TextFile.exists(path)
        : files.contains(path[...])
          || TextFile.exists(path)
    }
    #expect(missing == [])
  }

  @Test func `tests that start the fixture are in files that end in ProcessTests`() throws {
    let tests = try TextFile.all(under: "Tests/SleeplessTestingTests", ending: "Tests.swift")
    let starting = tests.filter { file in file.lines.contains { $0.contains("FixtureRun") } }
    #expect(starting.count > 4)
    #expect(starting.map(\.path).filter { !$0.hasSuffix("ProcessTests.swift") } == [])
  }

  @Test func `F5 texts of failures have only ASCII of their own`() throws {
    // The page is a file of its own. Marbles accept µs, and Swift Testing's arrow is replaced.
    let exceptions = ["SchedulePage.swift", "MarbleLine.swift", "CaughtFailure.swift"]
    let sources = try ["RetainGraph", "VirtualTime", "SleeplessSimulation", "SleeplessTesting"]
      .flatMap { try TextFile.all(under: "Sources/\($0)", ending: ".swift") }
      .filter { file in !exceptions.contains { file.path.hasSuffix("/\($0)") } }
    let found = sources.flatMap { file in
      file.lines.filter { line in
        let code = line.split(separator: "//", omittingEmptySubsequences: false).first ?? ""
        return !code.allSatisfy { $0.isASCII }
      }
      .map { "\(file.path): \($0)" }
    }
    #expect(found == [])
  }

  @Test func `a folder has a row if the row begins with it`() {
    let page = "| `Sources/A` | holds `Sources/B` |\nand `Sources/C`"
    #expect(rule(page).rows == ["Sources/A"])
  }

  @Test func `what does not exist is named with its line`() {
    let page = "\n| `Sources/A` | `B.swift`, `Sources/C/D.c` |\n`Tests/E`"
    #expect(
      rule(page).missing { $0 == "Sources/A" } == ["2: B.swift", "2: Sources/C/D.c", "3: Tests/E"])
  }

  @Test(arguments: [
    "`swift build`", "`Sources/<module>`", "`…+Texts.swift`", "Sources/A", "`advance(by:)`",
  ])
  func `other words are no paths`(page: String) {
    #expect(rule(page).missing { _ in false } == [])
  }

  @Test func `every identifier on a path through the code exists`() throws {
    let sources = try [".swift", ".c", ".h"].flatMap {
      try TextFile.all(under: "Sources", ending: $0)
    }
    let words = Set(
      sources.flatMap(\.lines).flatMap { line in
        line.utf8.split { !$0.isPartOfIdentifier }.compactMap { String($0) }
      })
    #expect(try contributing.unknownIdentifiers { _ in false }.count > 40)
    #expect(try contributing.unknownIdentifiers(where: words.contains) == [])
  }

  @Test func `an unknown identifier on a path is named with its line`() {
    let page = """
      `Gone` in `gone()`
      ## One job, from `a` to b
      1. `Known.gone(_:in:)` (`Gone.swift`), `.known`, `known { gone }`
      2. `gone_too`
      ## Another section
      `Gone`
      """
    let known: Set = ["a", "Known", "known"]
    #expect(rule(page).unknownIdentifiers(where: known.contains) == ["3: gone", "4: gone_too"])
  }

  private func rule(_ page: String) -> HouseRule { HouseRule(TextFile(path: "P.md", text: page)) }

  private var contributing: HouseRule {
    get throws { HouseRule(try TextFile(path: ".github/CONTRIBUTING.md")) }
  }
}

extension UInt8 {
  fileprivate var isPartOfIdentifier: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
