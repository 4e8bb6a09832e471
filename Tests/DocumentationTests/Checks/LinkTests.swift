import Foundation
import Testing

/// The links of the pages that a repository's host shows. DocC checks those of the catalogs.
@Suite struct LinkTests {
  @Test func `every link of a page of the repository leads to a file or folder`() throws {
    let pages = try [
      "README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", "Benchmarks/README.md",
    ]
    .map(TextFile.init(path:))
    #expect(pages.flatMap(\.links).count > 15)
    for page in pages {
      for link in page.links where !link.isElsewhere && !TextFile.exists(page.path(of: link)) {
        Issue.record("\(page.path) links to \(link), which does not exist.")
      }
    }
  }

  @Test func `a page of the repository names few places elsewhere`() throws {
    let pages = try [
      "README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", "Benchmarks/README.md",
    ]
    .map(TextFile.init(path:))
    #expect(
      Set(pages.flatMap(\.links).filter(\.isElsewhere)) == [
        "https://keepachangelog.com/en/1.1.0/", "https://semver.org/spec/v2.0.0.html",
      ])
  }

  @Test func `links are those of Markdown and of HTML, over the end of a line too`() {
    let page = TextFile(
      path: "A/B.md",
      text: """
        See [the
        page](C.md#part) and <img src="../D.svg"> or <source srcset="E.svg">.
        ```text
        [no](link)
        ```
        """)
    #expect(page.links == ["C.md#part", "../D.svg", "E.svg"])
    #expect(page.links.map(page.path(of:)) == ["A/C.md", "D.svg", "A/E.svg"])
    #expect("https://example.org".isElsewhere)
  }
}

extension TextFile {
  fileprivate var links: [String] {
    var isInBlock = false
    let text = lines.filter { line in
      if line.hasPrefix("```") { isInBlock.toggle() }
      return !isInBlock
    }.joined(separator: "\n")
    return text.matches(of: /\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/).map {
      String($0.1 ?? $0.2 ?? "")
    }
  }

  /// The path from the repository's root for a link of this page.
  fileprivate func path(of link: String) -> String {
    let folder = path.split(separator: "/").dropLast().map(String.init)
    let parts = link.prefix { $0 != "#" }.split(separator: "/").map(String.init)
    return parts.reduce(into: folder) { folder, part in
      if part == ".." { folder.removeLast() } else { folder.append(part) }
    }.joined(separator: "/")
  }
}

extension String {
  fileprivate var isElsewhere: Bool { contains("://") }
}
