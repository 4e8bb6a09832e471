import Foundation

/// The Swift files in some files and folders.
struct SourceFiles {
  /// Each once, in the order of their names.
  private(set) var paths: [String] = []
  private(set) var problems: [SourceProblem] = []
  private let excluded: [String]

  init(in roots: [String], excluding excluded: [String]) {
    self.excluded = excluded.map(Self.normal)
    for root in roots.map(Self.normal) {
      var isFolder: ObjCBool = false
      if !FileManager.default.fileExists(atPath: root, isDirectory: &isFolder) {
        problems.append(
          SourceProblem(
            path: root, line: nil,
            text: "There is no such file or folder. Pass a path from the folder of the package."))
      } else if isFolder.boolValue {
        addFolder(root)
      } else {
        paths.append(root)
      }
    }
    paths = Array(Set(paths)).sorted()
  }

  /// Folders of build products and of other packages.
  private static let otherFolders: Set = [
    "Pods", "Carthage", "DerivedData", "node_modules", "checkouts",
  ]

  private mutating func addFolder(_ folder: String) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      problems.append(
        SourceProblem(
          path: folder, line: nil,
          text: "The folder cannot be listed. Check its permissions, or leave it out: --exclude \(folder)"))
      return
    }
    for name in names where !name.hasPrefix(".") && !Self.otherFolders.contains(name) {
      let path = folder == "." ? name : "\(folder)/\(name)"
      guard !excluded.contains(path) else { continue }
      if name.hasSuffix(".swift") {
        paths.append(path)
      } else if !name.contains(".") || name.hasSuffix(".docc") == false && isFolder(path) {
        if isFolder(path) { addFolder(path) }
      }
    }
  }

  /// A link to a folder may lead round in a circle, so it is not followed.
  private func isFolder(_ path: String) -> Bool {
    let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    return type == .typeDirectory
  }

  private static func normal(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    while path.hasPrefix("./"), path.count > 2 { path.removeFirst(2) }
    return path
  }

  /// Reads one file.
  static func load(_ path: String) throws(SourceProblemError) -> SourceText {
    do {
      return SourceText(path: path, bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    } catch {
      throw SourceProblemError(
        SourceProblem(
          path: path, line: nil,
          text: "The file cannot be read. Check its permissions, or leave it out: --exclude \(path)"))
    }
  }
}
