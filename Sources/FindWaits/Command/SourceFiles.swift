import Foundation

/// The Swift files in some files and folders.
struct SourceFiles {
  /// Each once, in the order of their names.
  private(set) var paths: [String] = []
  private(set) var problems: [SourceProblem] = []
  private let excluded: [String]
  /// The folders that were asked for, without links in their paths.
  private let folders: [String]

  init(in roots: [String], excluding excluded: [String]) {
    self.excluded = excluded.map(Self.normal)
    folders = roots.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
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
          text:
            "The folder cannot be listed. Check its permissions, or leave it out: --exclude \(folder)"
        ))
      return
    }
    for name in names where !name.hasPrefix(".") && !Self.otherFolders.contains(name) {
      let path = folder == "." ? name : "\(folder)/\(name)"
      guard !excluded.contains(path) else { continue }
      switch Self.kind(of: path) {
      case S_IFDIR:
        addFolder(path)
      case S_IFREG where name.hasSuffix(".swift"):
        paths.append(path)
      case S_IFLNK where name.hasSuffix(".swift") && !isRead(behind: path):
        paths.append(path)
      default:
        // A link to a folder may lead round in a circle, so it is not followed.
        break
      }
    }
  }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Whether the file behind a link is in one of the folders, so that it is read there.
  private func isRead(behind link: String) -> Bool {
    let target = URL(fileURLWithPath: link).resolvingSymlinksInPath().path
    return folders.contains { target.hasPrefix($0 + "/") }
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
      return SourceText(
        path: path, bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    } catch {
      throw SourceProblemError(
        SourceProblem(
          path: path, line: nil,
          text: "The file cannot be read. Check its permissions, or leave it out: --exclude \(path)"
        ))
    }
  }
}
