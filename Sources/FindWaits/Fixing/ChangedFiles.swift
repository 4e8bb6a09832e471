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
  static func manifest(of names: [String], for compiler: [Int] = compiler) -> String {
    let versioned = names.compactMap { name -> (name: String, version: [Int])? in
      guard let match = name.wholeMatch(of: /Package@swift-([\d.]+)\.swift/) else { return nil }
      return (name, match.1.split(separator: ".").compactMap { Int($0) })
    }
    return versioned.filter { $0.version.prefix(2).lexicographicallyPrecedes(compiler + [0]) }
      .max { $0.version.lexicographicallyPrecedes($1.version) }?.name ?? "Package.swift"
  }

  /// The version of the compiler that built this: as far as it is known today, and later ones as one.
  private static var compiler: [Int] {
    #if compiler(<6.4)
      [6, 3]
    #elseif compiler(<6.5)
      [6, 4]
    #else
      [.max]
    #endif
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
      texts[file] = Self.importing(String(decoding: bytes, as: UTF8.self))
    }
    guard let manifest else { return texts }
    var bytes = Array(manifest.text.utf8)
    let insertions = TestTargets(manifest.text)?.insertions(
      of: ".product(name: \"SleeplessTesting\", package: \"\(sleepless)\")",
      for: changes.map { pathInPackage($0.file) })
    for (place, text) in (insertions ?? [:]).sorted(by: { $0.key > $1.key }) {
      bytes.insert(contentsOf: text.utf8, at: place)
    }
    texts[manifest.path] = String(decoding: bytes, as: UTF8.self)
    return texts
  }

  private func pathInPackage(_ file: String) -> Substring {
    let path = file.hasPrefix(folder + "/") ? file.dropFirst(folder.count + 1) : file[...]
    return path.hasPrefix("./") ? path.dropFirst(2) : path
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

  /// A text with `import SleeplessTesting` behind the last import at the beginning of a line.
  private static func importing(_ text: String) -> String {
    let module = "SleeplessTesting"
    let tokens = Lexer.tokens(of: Array(text.utf8)).tokens
    let imports = tokens.indices.dropLast().filter { isImport($0, in: tokens) }
    guard !imports.contains(where: { tokens[$0 + 1].text == module }) else { return text }
    // In an `#if`, the last one may not be compiled.
    let first = tokens.first { $0.kind == .pound && $0.text == "#if" }?.line ?? .max
    var place = imports.last { tokens[$0].line < first }.map { tokens[$0].line } ?? 0
    var lines = text.linesWithReturns
    // A comment may go on in the next line.
    if place > 0, lines[place - 1].contains("/*") { place -= 1 }
    lines.insert("import \(module)" + (lines[0].hasSuffix("\r") ? "\r" : ""), at: place)
    return lines.joined(separator: "\n")
  }

  /// Whether a token is the `import` of a line that has attributes and modifiers before it, and no space.
  private static func isImport(_ index: Int, in tokens: [Token]) -> Bool {
    guard tokens[index].isWord("import") else { return false }
    var start = index
    while !tokens[start].startsLine, start > 0 { start -= 1 }
    return tokens[start..<index].allSatisfy { ["@", "(", ")"].contains($0.text) || $0.isName }
      && tokens[start].startsLine
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
