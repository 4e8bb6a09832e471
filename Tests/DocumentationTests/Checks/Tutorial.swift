/// The tutorial: its pages, and the files that they show.
///
/// The code is compiled in Tests/DocumentationTests/Tutorial, where each file is a part of a type, so that several
/// states of a file may stand side by side. The line above it is `#sourceLocation` with the name and the line that the
/// reader sees, so failures name the reader's places.
enum Tutorial {
  static let folder = "Sources/SleeplessTesting/SleeplessTesting.docc/Tutorials"
  static let code = folder + "/Code"
  static let compiled = "Tests/DocumentationTests/Tutorial"

  /// A failure's text with the places and names that a reader of the tutorial gets.
  static func asInTutorial(_ text: String) throws -> String {
    var text = text
    // Swift Testing ignores `#sourceLocation` when it notes the place of a test.
    while let match = text.firstMatch(of: /(TutorialStep\d\.swift):(\d+)/) {
      let file = try TextFile(path: "\(compiled)/\(match.1)")
      text.replaceSubrange(match.range, with: file.place(ofLine: Int(match.2)!))
    }
    return text.replacing(/TutorialStep\d\.(Explored\.)?/, with: "")
  }

  /// What some files of the tutorial's code contain, by the names that a reader's files have.
  static func contents(of files: [String]) throws -> [String: String] {
    var contents: [String: String] = [:]
    for file in files {
      let name = String(file.drop { !$0.isLetter })
      contents[name] = try TextFile(path: "\(code)/\(file)").lines.joined(separator: "\n")
    }
    return contents
  }

  /// A file of Swift that the tutorial shows.
  struct Code {
    private let imports: [String]
    private let body: [String]
    /// The line above the body, as swift-format writes it.
    let directive: String

    init(_ file: TextFile) {
      let lines = file.lines.map(\.trimmed)
      let isImport = { (line: String) in line.hasPrefix("import ") || line.hasPrefix("@testable") }
      let start = lines.firstIndex { !isImport($0) && !$0.isEmpty } ?? 0
      // The tutorial's app is no module here.
      imports = lines[..<start].filter { isImport($0) && $0 != "@testable import Tickets" }
      body = Array(lines[start...].dropLast(lines.last == "" ? 1 : 0))
      let name = file.path.split(separator: "/").last!.drop { !$0.isLetter }
      directive = "#sourceLocation(file:\"\(name)\",line:\(start + 1))"
    }

    func isCompiled(in file: TextFile) -> Bool {
      let block = CodeBlock(path: "", line: 1, code: [directive] + body + ["#sourceLocation()"])
      return imports.allSatisfy(file.lines.contains) && block.occurs(in: file)
    }
  }
}

extension TextFile {
  private static var directive: Regex<(Substring, Substring, Substring)> {
    /#sourceLocation\(file:"([^"]+)",line:(\d+)\)/
  }

  /// What other files contain, by their names, as far as `#sourceLocation` says that lines of this file are theirs.
  var shownFiles: [String: String] {
    var files: [String: String] = [:]
    for (index, line) in lines.enumerated() {
      guard let match = line.firstMatch(of: Self.directive) else { continue }
      let code = lines[(index + 1)...].prefix { $0.trimmed != "#sourceLocation()" }
      files[String(match.1)] = (Array(repeating: "", count: Int(match.2)! - 1) + code)
        .joined(separator: "\n")
    }
    return files
  }

  /// The file and line that `#sourceLocation` gives to a line of this file.
  func place(ofLine line: Int) -> String {
    for index in (0..<line).reversed() {
      if let match = lines[index].firstMatch(of: Self.directive) {
        return "\(match.1):\(Int(match.2)! + line - 2 - index)"
      }
    }
    return "line \(line) of \(path)"
  }
}
