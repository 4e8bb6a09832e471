#if os(Linux)
  import Foundation

  /// What the compiler says of a source that imports Sleepless.
  struct CompilerRun: Sendable {
    /// Each error as `line: text`, in the order of lines.
    let errors: [String]
    let output: String

    /// Type-checks a source in a language mode, 5 or 6.
    init(_ source: String, languageMode: Int) async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "compiler-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appendingPathComponent("Source.swift")
      try source.write(to: file, atomically: true, encoding: .utf8)
      let outputFile = folder.appendingPathComponent("output.txt")
      try Data().write(to: outputFile)
      let handle = try FileHandle(forWritingTo: outputFile)
      defer { try? handle.close() }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        ["swiftc", "-typecheck", "-swift-version", "\(languageMode)", "-diagnostic-style=llvm"]
        + Self.modules + [file.path]
      process.standardOutput = handle
      process.standardError = handle
      _ = try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
      }
      output = try String(contentsOf: outputFile, encoding: .utf8)
      errors = output.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /Source\.swift:(\d+):\d+: error: (.*)/).map { (Int($0.1)!, $0.2) }
      }.sorted { $0.0 < $1.0 }.map { "\($0): \($1)" }
    }

    /// SwiftPM puts the modules beside the package's executables.
    private static var modules: [String] {
      let products = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
      let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(
        separator: "/")
      return [
        "-I", "\(products)/Modules", "-I", "\(package)/Sources/CAtomics/include",
        "-Xcc", "-fmodule-map-file=\(products)/CAtomics.build/module.modulemap",
      ]
    }
  }
#endif
