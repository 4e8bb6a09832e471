/// Which of the modules that matter a folder of Sources may import.
///
/// Arrows point one way: SleeplessTesting → SleeplessSimulation, RetainGraph → VirtualTime → Sleepless.
/// One module knows the test frameworks, so that an app can link Sleepless.
struct ImportRule {
  let folder: String
  let mayImport: Set<String>

  static let all = [
    ImportRule(folder: "Sources/Sleepless/", mayImport: ["CAtomics"]),
    ImportRule(folder: "Sources/VirtualTime/", mayImport: ["Sleepless"]),
    ImportRule(
      folder: "Sources/SleeplessSimulation/",
      mayImport: ["Sleepless", "VirtualTime", "CRuntimeHooks"]),
    ImportRule(folder: "Sources/DebugInformation/", mayImport: ["CRuntimeHooks", "Runtime"]),
    ImportRule(
      folder: "Sources/RetainGraph/",
      mayImport: ["Sleepless", "VirtualTime", "CHeapWalk", "CRuntimeHooks"]),
    ImportRule(
      folder: "Sources/SleeplessTesting/Memory/",
      mayImport: [
        "Sleepless", "VirtualTime", "SleeplessSimulation", "RetainGraph", "CRuntimeHooks", "XCTest",
        "Testing",
      ]),
    ImportRule(
      folder: "Sources/SleeplessTesting/Waits/",
      mayImport: ["Sleepless", "SleeplessSimulation", "CRuntimeHooks", "XCTest", "Testing"]),
    ImportRule(
      folder: "Sources/SleeplessTesting/",
      mayImport: [
        "Sleepless", "VirtualTime", "SleeplessSimulation", "RetainGraph", "XCTest", "Testing",
      ]),
    ImportRule(
      folder: "Sources/Tour/", mayImport: ["Sleepless", "SleeplessSimulation", "SleeplessTesting"]),
  ]

  private static let restricted: Set = [
    "CAtomics", "Sleepless", "VirtualTime", "CRuntimeHooks", "SleeplessSimulation", "CHeapWalk",
    "RetainGraph", "SleeplessTesting", "XCTest", "Testing", "DebugInformation", "Runtime",
  ]

  /// The imports in `file` that point the wrong way, as `path:line: module`.
  ///
  /// The first rule whose folder holds the file applies; a file that no rule knows may import none
  /// of the modules that matter.
  static func violations(in file: TextFile) -> [String] {
    let rule = all.first { file.path.hasPrefix($0.folder) }
    return file.codeLines.compactMap { number, text in
      guard let module = text.importedModule, restricted.contains(module),
        rule?.mayImport.contains(module) != true
      else { return nil }
      return "\(file.path):\(number): \(module)"
    }
  }
}

extension String {
  /// The module that this line imports, if it is an import.
  fileprivate var importedModule: String? {
    // Most lines are done with here, which is a hundred times quicker than reading them.
    guard contains("import") else { return nil }
    let words = withoutCommentsAndLiterals.split { $0 == " " || $0 == ";" }
    guard let position = words.firstIndex(of: "import") else { return nil }
    let access: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    guard words[..<position].allSatisfy({ $0.hasPrefix("@") || access.contains($0) }) else {
      return nil
    }
    let kinds: Set<Substring> = [
      "struct", "class", "enum", "protocol", "typealias", "func", "var", "let", "actor",
    ]
    return words[(position + 1)...].first { !kinds.contains($0) }
      .flatMap { $0.split(separator: ".").first }.map(String.init)
  }
}
