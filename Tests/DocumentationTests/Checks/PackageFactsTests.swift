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
}
