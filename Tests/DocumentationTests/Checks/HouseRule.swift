/// What CONTRIBUTING says of folders and files.
///
/// A path is code that begins with a top folder, such as `Sources/Tour`; a file beside another one is
/// named without its folder. `<module>` and `…` stand for any name, so nothing is said with them.
struct HouseRule {
  private let page: TextFile

  init(_ page: TextFile) { self.page = page }

  /// The folders that have a row of their own in the page's tables.
  var rows: Set<String> {
    Set(page.lines.compactMap { $0.firstMatch(of: /^\| `([^`]+)` \|/).map { String($0.1) } })
  }

  /// The files and folders that the page names, each as `line: path`, for which `exists` is false.
  func missing(where exists: (_ path: String) -> Bool) -> [String] {
    page.lines.enumerated().flatMap { index, line in
      line.matches(of: /`([^` ]+)`/).map { String($0.1) }
        .filter { $0.isPath && !exists($0) }
        .map { "\(index + 1): \($0)" }
    }
  }

  /// The identifiers that the page names on its paths through the code, each as `line: identifier`, for
  /// which `isKnown` is false. A path is a section whose title begins with "One".
  func unknownIdentifiers(where isKnown: (_ identifier: String) -> Bool) -> [String] {
    var isOnPath = false
    var unknown: [String] = []
    for (index, line) in page.lines.enumerated() {
      if line.hasPrefix("## ") { isOnPath = line.hasPrefix("## One ") }
      guard isOnPath else { continue }
      unknown += line.matches(of: /`([^`]+)`/).flatMap { String($0.1).identifiers }
        .filter { !isKnown($0) }
        .map { "\(index + 1): \($0)" }
    }
    return unknown
  }
}

extension String {
  fileprivate var isPath: Bool {
    guard !contains("<"), !contains("…") else { return false }
    let folders = ["Sources/", "Tests/", "Benchmarks/", ".ci/", ".github/"]
    let endings = [".swift", ".c", ".h", ".md"]
    return folders.contains(where: hasPrefix) || endings.contains(where: hasSuffix)
  }

  /// The names in `Type.member(label:)`, without the arguments; none if this is a path or a statement.
  fileprivate var identifiers: [String] {
    guard !isPath, let match = wholeMatch(of: /([\w.]+)(\(.*\))?/) else { return [] }
    return match.1.split(separator: ".").map(String.init)
  }
}
