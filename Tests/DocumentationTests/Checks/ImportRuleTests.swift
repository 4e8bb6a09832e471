import Testing

@Suite struct ImportRuleTests {
  @Test func `imports point one way`() throws {
    let sources = try TextFile.all(under: "Sources", ending: ".swift")
    #expect(!sources.isEmpty)
    #expect(sources.flatMap(ImportRule.violations) == [])
  }

  @Test(arguments: [
    ("Sleepless", "SleeplessSimulation"), ("Sleepless", "SleeplessTesting"),
    ("Sleepless", "XCTest"), ("Sleepless", "Testing"), ("Sleepless", "VirtualTime"),
    ("Sleepless", "CRuntimeHooks"), ("VirtualTime", "SleeplessSimulation"),
    ("VirtualTime", "CRuntimeHooks"), ("RetainGraph", "SleeplessSimulation"),
    ("SleeplessSimulation", "RetainGraph"), ("SleeplessSimulation", "CHeapWalk"),
    ("VirtualTime", "CAtomics"),
    ("SleeplessSimulation", "SleeplessTesting"), ("SleeplessSimulation", "XCTest"),
    ("SleeplessSimulation", "Testing"), ("SleeplessTesting", "CRuntimeHooks"), ("Tour", "XCTest"),
    ("Unheard", "Testing"),
  ])
  func `a backward import is named with its line`(folder: String, module: String) {
    let path = "Sources/\(folder)/F.swift"
    #expect(violations(in: path, "\nimport \(module)") == ["\(path):2: \(module)"])
  }

  @Test(arguments: [
    ("SleeplessSimulation/F.swift", "Sleepless"), ("SleeplessTesting/F.swift", "XCTest"),
    ("SleeplessTesting/Memory/F.swift", "CRuntimeHooks"), ("Sleepless/F.swift", "Dispatch"),
    ("Sleepless/F.swift", "CAtomics"),
    ("VirtualTime/F.swift", "Sleepless"), ("RetainGraph/F.swift", "CHeapWalk"),
  ])
  func `a forward import is allowed`(path: String, module: String) {
    #expect(violations(in: "Sources/\(path)", "import \(module)") == [])
  }

  @Test(arguments: [
    "  @testable import XCTest", "@_exported public import XCTest  // why",
    "import class XCTest.XCTestCase",
    "@_spi(A) @_spi(B) internal import XCTest",
  ])
  func `an import is seen in every form`(line: String) {
    #expect(violations(in: "Sources/Sleepless/F.swift", line).count == 1)
  }

  @Test(arguments: [
    "// import XCTest", "#if canImport(XCTest)", "/// Files that import XCTest fail.",
    "let line = \"import XCTest\"",
  ])
  func `words about an import are none`(line: String) {
    #expect(violations(in: "Sources/Sleepless/F.swift", line) == [])
  }

  private func violations(in path: String, _ text: String) -> [String] {
    ImportRule.violations(in: TextFile(path: path, text: text))
  }
}
