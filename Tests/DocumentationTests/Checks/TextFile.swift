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
  /// Hidden folders, and with them build products, are left out. So are the Swift files of the tutorial, which are not
  /// compiled: the same code is compiled under Tests, where the rules for code hold. A folder that does not exist holds
  /// no files.
  static func all(under folder: String, ending: String) throws -> [TextFile] {
    let base = root.appending(path: folder).path
    var paths: [String] = []
    let found = FileManager.default.enumerator(atPath: base)
    while let path = found?.nextObject() as? String {
      let parts = path.split(separator: "/")
      let isShown = ending == ".swift" && path.contains(".docc/")
      if path.hasSuffix(ending), !isShown, !parts.contains(where: { $0.hasPrefix(".") }) {
        paths.append("\(folder)/\(path)")
      }
    }
    return try paths.sorted().map(TextFile.init(path:))
  }

  /// The folders below one, itself included and documentation catalogs left out.
  static func folders(under folder: String) -> [String] {
    paths(under: folder).filter { path in
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(
        atPath: root.appending(path: path).path, isDirectory: &isFolder)
      return exists && isFolder.boolValue && !path.contains(".docc")
    } + [folder]
  }

  /// Everything below a folder, files and folders, from the repository's root.
  static func paths(under folder: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
    return (found?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
  }

  /// Whether a file or folder of the repository exists.
  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  private static let root = URL(filePath: #filePath)  // Tests/DocumentationTests/Checks/<this file>
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
}
