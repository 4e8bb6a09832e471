import Testing

@Suite struct RuntimeImportRuleTests {
  @Test func `functions of the runtime say since when there are any`() throws {
    let sources = try TextFile.all(under: "Sources", ending: ".swift")
    #expect(!sources.isEmpty)
    #expect(sources.flatMap(RuntimeImportRule.violations) == [])
  }

  @Test(arguments: [
    "\n@_silgen_name(\"swift_f\")", "@available(macOS 14, *)\n\n  @_silgen_name(\"swift_f\")",
    "#if canImport(Darwin)\n@_silgen_name(\"swift_f\")\n#endif",
    "#if os(Linux) || canImport(Darwin)\n@_silgen_name(\"swift_f\")\n#endif",
    "#if os(Linux)\n#else\n@_silgen_name(\"swift_f\")\n#endif",
    "#if os(Linux)\n#endif\n@_silgen_name(\"swift_f\")",
    "#if !os(Linux)\n@_silgen_name(\"swift_f\")\n#endif",
    "@available(*, deprecated)\n@_silgen_name(\"swift_f\")",
  ])
  func `one that does not say so is named with its line`(text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains("silgen") })
    #expect(violations(in: text) == ["Sources/F.swift:\(line + 1)"])
  }

  @Test(arguments: [
    "@available(macOS 14, iOS 17, *)\n@_silgen_name(\"swift_f\")",
    "  @available(macOS 14, iOS 17, *)\n  @_silgen_name(\"swift_f\") private func f()",
    "#if os(Linux)\n@_silgen_name(\"swift_f\")\n#endif",
    "#if os(Linux) && _pointerBitWidth(_64)\n#if DEBUG\n#endif\n@_silgen_name(\"swift_f\")\n#endif",
    "// @_silgen_name(\"swift_f\")", "let text = \"@_silgen_name\"",
  ])
  func `one that does, or is Linux's alone, is allowed`(text: String) {
    #expect(violations(in: text) == [])
  }

  private func violations(in text: String) -> [String] {
    RuntimeImportRule.violations(in: TextFile(path: "Sources/F.swift", text: text))
  }
}
