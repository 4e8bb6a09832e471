import Foundation

/// The Swift files in some files and folders.
struct SourceFiles {
  /// Each once, in the order of their names.
  private(set) var paths: [String] = []
  private(set) var problems: [SourceProblem] = []
  /// The same paths from the folders of their packages.
  private var pathsInPackages: [String: String] = [:]
  private let excluded: [String]
  /// The folders that were asked for, without links in their paths.
  private let folders: [String]

  init(in roots: [String], excluding excluded: [String]) {
    self.excluded = excluded.map(Self.normal)
    folders = roots.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    for root in roots.map(Self.normal) {
      let known = paths.count
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
      let start = Self.pathInPackage(root, isFolder: isFolder.boolValue)
      for path in paths[known...] {
        let rest = root == "." ? "/\(path)" : String(path.dropFirst(root.count))
        pathsInPackages[path] = start + rest
      }
    }
    paths = Array(Set(paths)).sorted()
  }

  /// The path of a file or a folder from the folder of its manifest. Without a manifest at or above it, the path begins
  /// in the present folder, or else with the name of the folder that is read.
  private static func pathInPackage(_ path: String, isFolder: Bool) -> String {
    let path = URL(fileURLWithPath: path).standardizedFileURL
    let folder = isFolder ? path : path.deletingLastPathComponent()
    var package = folder
    while package.path != "/" {
      if FileManager.default.fileExists(atPath: package.path + "/Package.swift") {
        return String(path.path.dropFirst(package.path.count))
      }
      package.deleteLastPathComponent()
    }
    let present = FileManager.default.currentDirectoryPath
    let isInside = (folder.path + "/").hasPrefix(present + "/")
    let base = isInside ? present : folder.deletingLastPathComponent().path
    return String(path.path.dropFirst(base.count))
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

  /// Reads the file with that number.
  func load(_ index: Int) throws(SourceProblemError) -> SourceText {
    let path = paths[index]
    do {
      return SourceText(
        path: path, inPackage: pathsInPackages[path],
        bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    } catch {
      throw SourceProblemError(
        SourceProblem(
          path: path, line: nil,
          text: "The file cannot be read. Check its permissions, or leave it out: --exclude \(path)"
        ))
    }
  }
}
