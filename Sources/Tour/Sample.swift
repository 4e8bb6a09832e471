import FindWaits
import Foundation

/// A small package of this repository whose tests sleep.
enum Sample {
  static let path = "Tests/Fixtures/Waiting"

  /// The folder of this repository.
  static let root = (1...3).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
    path.deletingLastPathComponent()
  }

  /// What the command prints for some arguments.
  static func findWaits(_ arguments: [String]) -> String {
    var output = ""
    _ = Command.run(arguments) {
      output += $0
    } complain: {
      output += $0
    }
    return output
  }

  /// Copies the package to a new temporary folder, in which it still depends on this repository.
  static func copy() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("sleepless-tour-\(UUID().uuidString)")
    do {
      try FileManager.default.copyItem(at: root.appendingPathComponent(path), to: folder)
      let manifest = folder.appendingPathComponent("Package.swift")
      let text = try String(contentsOf: manifest, encoding: .utf8)
      try text.replacingOccurrences(of: #""../../..""#, with: #""\#(root.path)""#)
        .write(to: manifest, atomically: true, encoding: .utf8)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    return folder
  }
}
