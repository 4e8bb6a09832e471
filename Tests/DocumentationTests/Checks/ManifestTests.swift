import Testing

@Suite struct ManifestTests {
  private let manifest = Manifest(
    TextFile(
      path: "Package.swift",
      text: [
        "let package = Package(", "  name: \"Sleepless\",", "  // .package(url: \"u\")",
        "  .library(name: \"Sleepless\", targets: []),", "  .library(name: \"Testing\"),", ")",
      ].joined(separator: "\n")))

  @Test func `a manifest's names are read, its comments are not`() {
    #expect(manifest.packageName == "Sleepless")
    #expect(manifest.libraries == ["Sleepless", "Testing"])
    #expect(!manifest.hasDependencies)
  }

  @Test func `a dependency is noticed`() {
    let file = TextFile(path: "Package.swift", text: "  dependencies: [.package(path: \"..\")],")
    #expect(Manifest(file).hasDependencies)
  }

  @Test func `true words about the package have no fault`() {
    let code = [
      ".package(url: \"https://example.com/sleepless.git\", from: \"1.0.0\")",
      ".product(name: \"Testing\", package: \"sleepless\")",
    ]
    #expect(faults(in: code) == [])
  }

  @Test func `each wrong word is a fault`() {
    let code = [
      ".package(url: \"https://example.com/restless\", from: \"1.0.0\")",
      ".product(name: \"Sleeples\", package: \"Restless\")",
    ]
    #expect(
      faults(in: code) == [
        "There is no product \"Sleeples\", only \"Sleepless\", \"Testing\".",
        "The package is \"Sleepless\", not \"Restless\".",
        "The address ends in \"restless\", not in \"Sleepless\".",
      ])
  }

  @Test func `a part that says nothing to check is a fault`() {
    #expect(
      faults(in: [".testTarget(name: \"T\")"]) == [
        "This part of a manifest names neither the package nor a product."
      ])
  }

  private func faults(in code: [String]) -> [String] {
    manifest.faults(in: CodeBlock(path: "README.md", line: 1, code: code))
  }
}
