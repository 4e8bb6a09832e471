import Foundation

/// A file of this repository, line by line.
struct TextFile {
  /// The path from the repository's root.
  let path: String
  let lines: [String]

  /// A file that exists only in a test.
  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Reads a file of the repository.
  init(path: String) throws {
    let url = Self.root.appending(path: path)
    self.init(path: path, text: try String(contentsOf: url, encoding: .utf8))
  }

  /// Every file below `folder` with this ending, in the order of their paths.
  ///
  /// Hidden folders, and with them build products, are left out. A folder that does not exist
  /// holds no files.
  static func all(under folder: String, ending: String) throws -> [TextFile] {
    let base = root.appending(path: folder).path
    var paths: [String] = []
    let found = FileManager.default.enumerator(atPath: base)
    while let path = found?.nextObject() as? String {
      let parts = path.split(separator: "/")
      if path.hasSuffix(ending), !parts.contains(where: { $0.hasPrefix(".") }) {
        paths.append("\(folder)/\(path)")
      }
    }
    return try paths.sorted().map(TextFile.init(path:))
  }

  private static let root = URL(filePath: #filePath)  // Tests/DocumentationTests/Checks/<this file>
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
}
