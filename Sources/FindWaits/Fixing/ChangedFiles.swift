/// The texts of files with some changes made: the lines, the import and the dependency.
struct ChangedFiles {
  private let originals: [String: String]
  private let manifest: (path: String, text: String)?
  /// What the manifest calls Sleepless.
  private let sleepless: String
  /// The folder of the manifest.
  private let folder: String

  /// `read` returns a file's text.
  init(
    _ changes: [Change], manifest path: String = "Package.swift", sleepless: String = "Sleepless",
    folder: String = "", read: (String) -> String?
  ) {
    self.sleepless = sleepless
    self.folder = folder
    originals = Dictionary(
      changes.map { ($0.file, read($0.file) ?? "") }, uniquingKeysWith: { first, _ in first })
    manifest = read(path).map { (path, $0) }
  }

  /// All files, with the text that they have if these changes are made.
  func texts(with changes: [Change]) -> [String: String] {
    var texts = originals
    for (file, changes) in Dictionary(grouping: changes, by: \.file) {
      var lines = originals[file]!.split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init)
      for change in changes { lines[change.line - 1] = change.after }
      texts[file] = Self.importing(lines).joined(separator: "\n")
    }
    guard let manifest else { return texts }
    var text = manifest.text
    for target in Set(changes.compactMap { target(of: $0.file) }).sorted() {
      text = depending(text, target)
    }
    texts[manifest.path] = text
    return texts
  }

  /// The changed lines of some texts, as a diff.
  func diff(_ texts: [String: String]) -> String {
    var diff = ""
    for (file, text) in texts.sorted(by: { $0.key < $1.key }) {
      let original = originals[file] ?? manifest?.text ?? ""
      guard text != original else { continue }
      diff += "--- \(file)\n+++ \(file)\n"
      let old = original.split(separator: "\n", omittingEmptySubsequences: false)
      let new = text.split(separator: "\n", omittingEmptySubsequences: false)
      var next = 0
      for (number, line) in old.enumerated() {
        // One line was changed here, or one was put in before it.
        if next < new.count, new[next] != line {
          let isNew = next + 1 < new.count && new[next + 1] == line
          diff += "@@ line \(number + 1)\n"
          if !isNew { diff += "-\(line)\n" }
          diff += "+\(new[next])\n"
          next += isNew ? 1 : 0
        }
        next += 1
      }
    }
    return diff
  }

  /// `import SleeplessTesting` behind the last import at the beginning of a line.
  private static func importing(_ lines: [String]) -> [String] {
    let name = "import SleeplessTesting"
    guard !lines.contains(where: { $0.hasPrefix(name) }) else { return lines }
    var lines = lines
    let imports = lines.indices.filter { lines[$0].contains(/^(@\w+ )?import \w/) }
    // In an `#if`, the last one may not be compiled.
    let first = lines.firstIndex { $0.hasPrefix("#if") } ?? lines.endIndex
    let place = imports.last { $0 < first }.map { $0 + 1 } ?? 0
    lines.insert(name, at: place)
    return lines
  }

  /// By convention, the folder in `Tests`.
  private func target(of file: String) -> String? {
    let path = file.hasPrefix(folder + "/") ? file.dropFirst(folder.count) : file[...]
    let parts = path.split(separator: "/")
    guard let tests = parts.firstIndex(of: "Tests"), tests + 2 < parts.count else { return nil }
    return String(parts[tests + 1])
  }

  /// A manifest with the product in a test target's dependencies; unchanged if it has it, or is written in another way.
  private func depending(_ manifest: String, _ target: String) -> String {
    let name = "name: \"\(target)\""
    let heads = manifest.ranges(of: /testTarget\(\s*/)
    guard
      let start = heads.map({ $0.upperBound }).first(where: { manifest[$0...].hasPrefix(name) })
        .map({ manifest.index($0, offsetBy: name.count) }),
      let end = manifest[start...].closingBracket
    else { return manifest }
    let rest = manifest[start..<end]
    guard !rest.contains("\"SleeplessTesting\"") else { return manifest }
    // A list in a variable.
    if rest.contains("dependencies:"), !rest.contains(/dependencies:\s*\[/) { return manifest }
    let product = ".product(name: \"SleeplessTesting\", package: \"\(sleepless)\")"
    guard let list = rest.firstRange(of: /dependencies:\s*\[\s*/) else {
      return manifest[..<start] + ", dependencies: [\(product)]"
        + manifest[start...]
    }
    let separator = manifest[list.upperBound] == "]" ? "" : ", "
    return manifest[..<list.upperBound] + product + separator + manifest[list.upperBound...]
  }
}

extension Substring {
  /// The bracket that closes the one before this text.
  fileprivate var closingBracket: Index? {
    var depth = 1
    for index in indices {
      if self[index] == "(" { depth += 1 }
      if self[index] == ")" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
