import Testing

/// The tutorial shows what is compiled.
@Suite struct TutorialTests {
  private let files: [TextFile]
  private let pages: [TextFile]

  init() throws {
    files = try TextFile.all(under: Tutorial.code, ending: "")
    pages = try TextFile.all(under: Tutorial.folder, ending: ".tutorial")
  }

  @Test func `each file of Swift is compiled under its name, line by line`() throws {
    let compiled = try TextFile.all(under: Tutorial.compiled, ending: ".swift")
    let sources = files.filter { $0.path.hasSuffix(".swift") && !$0.isManifest }
    #expect(sources.count > 30)
    for source in sources where !compiled.contains(where: Tutorial.Code(source).isCompiled) {
      Issue.record(
        """
        \(source.path) must occur in a file of \(Tutorial.compiled): its imports at the top, and the rest after a \
        line `\(Tutorial.Code(source).directive)`.
        """)
    }
  }

  @Test func `the manifest names what this package offers`() throws {
    let manifest = Manifest(try TextFile(path: "Package.swift"))
    let manifests = files.filter(\.isManifest)
    #expect(manifests.count == 1)
    for file in manifests {
      let block = CodeBlock(path: file.path, line: 1, code: file.lines)
      #expect(manifest.faults(in: block) == [])
    }
  }

  @Test func `each file is shown, and no other`() {
    let shown = pages.flatMap(\.lines).compactMap {
      $0.firstMatch(of: /@Code\(name: "([^"]+)", file: "([^"]+)"/).map { ($0.1, $0.2) }
    }
    #expect(Set(shown.map { "\(Tutorial.code)/\($0.1)" }) == Set(files.map(\.path)))
    // The name that the reader sees is the end of the file's name.
    for (name, file) in shown where file.hasSuffix(".swift") {
      #expect(file.hasSuffix("-\(name)"))
    }
  }

  @Test func `each output is compared with that of the tests`() throws {
    let compiled = try TextFile.all(under: Tutorial.compiled, ending: ".swift").flatMap(\.lines)
    let outputs = files.filter { $0.path.hasSuffix(".txt") }.map {
      $0.path.split(separator: "/").last!
    }
    #expect(outputs.count == 7)
    for output in outputs {
      #expect(compiled.contains { $0.contains(".fails(as: \"\(output)\"") }, "\(output)")
    }
  }

  @Test func `there are seven steps of five minutes`() {
    let steps = pages.filter { $0.lines.first?.hasPrefix("@Tutorial(") == true }
    #expect(steps.map(\.lines.first) == Array(repeating: "@Tutorial(time: 5) {", count: 7))
  }

  @Test func `a picture asks for nothing from elsewhere`() throws {
    let pictures = try TextFile.all(under: Tutorial.folder, ending: ".svg")
    #expect(pictures.count > 5)
    for picture in pictures {
      let text = picture.lines.joined().replacing("xmlns=\"http://www.w3.org/2000/svg\"", with: "")
      for word in ["href", "http", "url(", "@import"] {
        #expect(!text.contains(word), "\(picture.path)")
      }
      #expect(text.contains("prefers-color-scheme: dark"), "\(picture.path)")
    }
  }

  @Test func `code is compiled if its lines follow the directive, at any depth`() {
    let code = Tutorial.Code(
      TextFile(
        path: "1-2-A.swift", text: "import Testing\n\n@testable import Tickets\n\nlet a = 1\n"))
    let directive = "#sourceLocation(file:\"A.swift\",line:5)"
    #expect(code.directive == directive)
    func isCompiled(_ lines: [String]) -> Bool {
      code.isCompiled(in: TextFile(path: "T.swift", text: lines.joined(separator: "\n")))
    }
    #expect(isCompiled(["import Testing", "  \(directive)", "    let a = 1", "#sourceLocation()"]))
    #expect(!isCompiled(["  \(directive)", "    let a = 1", "#sourceLocation()"]))
    #expect(!isCompiled(["import Testing", "let a = 1", "#sourceLocation()"]))
    #expect(!isCompiled(["import Testing", "\(directive)", "let a = 2", "#sourceLocation()"]))
    #expect(
      !isCompiled(["import Testing", "\(directive)", "let a = 1", "let b = 1", "#sourceLocation()"])
    )
  }
}

extension TextFile {
  fileprivate var isManifest: Bool { path.hasSuffix("-Package.swift") }
}
