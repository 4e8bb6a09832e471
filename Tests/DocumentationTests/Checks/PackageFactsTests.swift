import TestSupport
import Testing

/// What the package promises about itself.
@Suite struct PackageFactsTests {
  private let manifest: Manifest

  init() throws { manifest = Manifest(try TextFile(path: "Package.swift")) }

  @Test func `the package is called Sleepless and offers three libraries`() {
    #expect(manifest.packageName == "Sleepless")
    #expect(manifest.libraries == ["Sleepless", "SleeplessSimulation", "SleeplessTesting"])
  }

  @Test func `the package depends on no other`() {
    #expect(!manifest.hasDependencies)
  }

  @Test func `each library has a documentation catalog`() throws {
    for library in manifest.libraries {
      let page = try TextFile(path: "Sources/\(library)/\(library).docc/\(library).md")
      #expect(page.lines.first == "# ``\(library)``")
    }
  }

  @Test func `the documentation of each library is published`() throws {
    let targets = try TextFile(path: ".spi.yml").lines.map(\.trimmed)
    #expect(manifest.libraries.filter { !targets.contains("- \($0)") } == [])
  }

  @Test func `the page "Where it works" counts the tests that need what not every system has`()
    throws
  {
    let page = try TextFile(
      path: "Sources/SleeplessTesting/SleeplessTesting.docc/WhereItWorks.md")
    let tests = try TextFile.all(under: "Tests", ending: ".swift").filter {
      !$0.path.contains("/Checks/")
    }
    for need in Need.allCases {
      let marks = ["needs(.\(need))", "needs: .\(need),", "Need.\(need).orSkip"]
      let count = tests.flatMap(\.lines).count { line in marks.contains(where: line.contains) }
      let row = page.lines.first { $0.hasPrefix("| \(need.rawValue) |") }
      #expect(row == "| \(need.rawValue) | \(count) |")
    }
  }

  @Test func `the page "Exploring schedules" describes each strategy`() throws {
    let source = try TextFile(
      path: "Sources/SleeplessSimulation/Exploration/ExplorationStrategy.swift")
    let page = try TextFile(
      path: "Sources/SleeplessTesting/SleeplessTesting.docc/ExploringSchedules.md")
    let names = source.lines.compactMap { line in
      line.firstMatch(of: /public static (?:var (\w+)|func (\w+)\((\w+))/).map { name in
        guard let function = name.2, let label = name.3 else { return ".\(name.1!)" }
        return ".\(function)(\(label):)"
      }
    }
    let described = page.lines.compactMap { line in
      line.firstMatch(of: /^\| `(\.\w+(?:\(\w+:\))?)`/).map { String($0.1) }
    }
    // The sentence over the table describes the default.
    #expect(Set(names).subtracting(described) == [".portfolio"], "these have no row")
    #expect(Set(described).subtracting(names) == [], "these are no strategies")
  }
}
