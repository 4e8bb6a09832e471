/// The test targets of a manifest.
struct TestTargets {
  fileprivate struct Target {
    let folder: String
    /// Where its dependencies can be written, and how; nil if it has the product, or if they are in a variable.
    let place: (offset: Int, kind: Place)?
  }

  fileprivate enum Place {
    case newList, emptyList, list
  }

  private let targets: [Target]

  /// Nil if the manifest cannot be read.
  init?(_ manifest: String) {
    guard let file = try? SourceFile(path: "Package.swift", text: Array(manifest.utf8)) else {
      return nil
    }
    targets = file.tokens.indices.dropLast().compactMap { index -> Target? in
      guard file.tokens[index].isWord("testTarget"), file.tokens[index + 1].isSign("(") else {
        return nil
      }
      return Target(in: (index + 2)..<file.partner(of: index + 1), of: file)
    }
  }

  /// What gives a product to the targets that compile some files, by the places in the manifest's bytes.
  func insertions(of product: String, for paths: [Substring]) -> [Int: String] {
    var insertions: [Int: String] = [:]
    for path in paths {
      // Of the targets whose folder holds the file, the innermost.
      let fitting = targets.filter { path.hasPrefix($0.folder + "/") }
      let innermost = fitting.map(\.folder.count).max()
      guard let place = fitting.first(where: { $0.folder.count == innermost })?.place else {
        continue
      }
      switch place.kind {
      case .newList: insertions[place.offset] = ", dependencies: [\(product)]"
      case .emptyList: insertions[place.offset] = product
      case .list: insertions[place.offset] = product + ", "
      }
    }
    return insertions
  }
}

extension TestTargets.Target {
  fileprivate init?(in range: Range<Int>, of file: SourceFile) {
    let arguments = file.arguments(in: range).map { file.argument($0) }
    func value(_ label: String) -> Range<Int>? { arguments.first { $0.label == label }?.value }
    func text(_ label: String) -> String? {
      guard let value = value(label), value.count == 1,
        let token = value.first.map({ file.tokens[$0] }),
        token.kind == .string
      else { return nil }
      return String(token.text.dropFirst().dropLast())
    }

    guard let nameRange = value("name"), let name = text("name") else { return nil }
    guard value("path") == nil || text("path") != nil else { return nil }
    var path = text("path") ?? "Tests/\(name)"  // by convention
    if path.hasPrefix("./") { path.removeFirst(2) }
    if path.hasSuffix("/") { path.removeLast() }
    folder = path
    place =
      file.tokens[range].contains { $0.text == "\"SleeplessTesting\"" }
      ? nil : Self.place(of: value("dependencies"), after: nameRange, in: file)
  }

  private static func place(
    of list: Range<Int>?, after name: Range<Int>, in file: SourceFile
  ) -> (offset: Int, kind: TestTargets.Place)? {
    guard let list else { return (file.tokens[name.lowerBound].range.upperBound, .newList) }
    let open = list.lowerBound
    guard file.tokens[open].isSign("[") else { return nil }
    // `[Target.Dependency]()` is no list.
    let end = file.partner(of: open) + 1
    guard end == list.upperBound || file.tokens[end].isSign("+") else { return nil }
    if end == open + 2 { return (file.tokens[open].range.upperBound, .emptyList) }
    return (file.tokens[open + 1].range.lowerBound, .list)
  }
}
