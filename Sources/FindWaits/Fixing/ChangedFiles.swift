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

  /// The manifest that SwiftPM reads, of the files in its folder: `Package@swift-6.swift` goes before `Package.swift`.
  /// Those for later compilers than the one that built this are passed over.
  static func manifest(of names: [String]) -> String {
    #if compiler(>=7)
      let newest = [99]
    #else
      let newest = [6, 99]
    #endif
    let versioned = names.compactMap { name -> (name: String, version: [Int])? in
      guard let match = name.wholeMatch(of: /Package@swift-([\d.]+)\.swift/) else { return nil }
      return (name, match.1.split(separator: ".").compactMap { Int($0) })
    }
    return versioned.filter { $0.version.lexicographicallyPrecedes(newest) }
      .max { $0.version.lexicographicallyPrecedes($1.version) }?.name ?? "Package.swift"
  }

  /// All files, with the text that they have if these changes are made.
  func texts(with changes: [Change]) -> [String: String] {
    var texts = originals
    for (file, changes) in Dictionary(grouping: changes, by: \.file) {
      var bytes = Array(originals[file]!.utf8)
      // From the end, so that the places before it stay.
      for change in changes.sorted(by: { $0.edit.range.lowerBound > $1.edit.range.lowerBound }) {
        change.edit.apply(to: &bytes)
      }
      let lines = String(decoding: bytes, as: UTF8.self).linesWithReturns
      texts[file] = Self.importing(lines).joined(separator: "\n")
    }
    guard let manifest else { return texts }
    var text = ""
    var copied = manifest.text.startIndex
    for start in Set(changes.compactMap { target(of: $0.file) }).sorted() {
      guard let (place, product) = dependency(of: start) else { continue }
      text += manifest.text[copied..<place] + product
      copied = place
    }
    text += manifest.text[copied...]
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
      let (old, new) = (original.linesWithReturns, text.linesWithReturns)
      var next = 0
      for (number, line) in old.enumerated() {
        // One line was changed here, or one was put in before it.
        if next < new.count, new[next] != line {
          let isNew = next + 1 < new.count && new[next + 1] == line
          diff += "@@ line \(number + 1)\n"
          if !isNew { diff += "-\(line.withoutReturn)\n" }
          diff += "+\(new[next].withoutReturn)\n"
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
    lines.insert(lines[0].hasSuffix("\r") ? name + "\r" : name, at: place)
    return lines
  }

  /// The place behind the name of the test target that compiles a file: of those whose folder holds it, the innermost.
  private func target(of file: String) -> String.Index? {
    let text = manifest?.text ?? ""
    var path = file.hasPrefix(folder + "/") ? file.dropFirst(folder.count + 1) : file[...]
    if path.hasPrefix("./") { path = path.dropFirst(2) }
    var best: (length: Int, place: String.Index)?
    for head in text.matches(of: /testTarget\(\s*name:\s*"([^"]*)"/) {
      guard let end = text[head.range.upperBound...].closingBracket else { continue }
      // By convention the folder in `Tests`.
      let given = text[head.range.upperBound..<end].firstMatch(of: /path:\s*"(?:\.\/)?([^"]*?)\/?"/)
      let folder = given.map { String($0.1) } ?? "Tests/\(head.1)"
      guard path.hasPrefix(folder + "/"), folder.count > best?.length ?? -1 else { continue }
      best = (folder.count, head.range.upperBound)
    }
    return best?.place
  }

  /// What gives a test target the product, and its place; nil if the target has it, or is written in another way.
  /// `start` is the place behind the target's name.
  private func dependency(of start: String.Index) -> (place: String.Index, text: String)? {
    guard let manifest = manifest?.text, let end = manifest[start...].closingBracket else {
      return nil
    }
    let rest = manifest[start..<end]
    guard !rest.contains("\"SleeplessTesting\"") else { return nil }
    // A list in a variable.
    if rest.contains("dependencies:"), !rest.contains(/dependencies:\s*\[/) { return nil }
    let product = ".product(name: \"SleeplessTesting\", package: \"\(sleepless)\")"
    guard let list = rest.firstRange(of: /dependencies:\s*\[\s*/) else {
      return (start, ", dependencies: [\(product)]")
    }
    return (list.upperBound, product + (manifest[list.upperBound] == "]" ? "" : ", "))
  }
}

extension String {
  /// Its lines; where lines end with a carriage return and a line feed, with the return. A character is both.
  fileprivate var linesWithReturns: [String] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
  }

  fileprivate var withoutReturn: Substring { hasSuffix("\r") ? dropLast() : self[...] }
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
