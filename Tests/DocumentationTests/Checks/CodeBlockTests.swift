import Testing

@Suite struct CodeBlockTests {
  @Test func `a block knows its file, its line and its code without indentation`() {
    let page = TextFile(
      path: "README.md",
      text: """
        # Title
        ```swift
        func f() {
          g()
        }
        ```
        """)
    let expected = CodeBlock(path: "README.md", line: 2, code: ["func f() {", "g()", "}"])
    #expect(page.codeBlocks == [expected])
  }

  @Test func `a block in a list counts`() {
    #expect(code(in: "1. One\n   ```swift\n   f()\n   ```") == [["f()"]])
  }

  @Test func `other languages are left alone`() {
    #expect(code(in: "```sh\nls\n```\n~~~text\nf()\n~~~") == [])
  }

  @Test func `a fence that names no language is Swift`() {
    #expect(code(in: "```\nf()\n```") == [["f()"]])
  }

  @Test func `the language may be followed by more`() {
    #expect(code(in: "```swift, nocopy\nf()\n```") == [["f()"]])
  }

  @Test func `a longer fence may show a shorter one`() {
    #expect(code(in: "````swift\n```\nf()\n```\n````") == [["```", "f()", "```"]])
  }

  @Test func `backticks within a sentence open nothing`() {
    #expect(code(in: "```f()``` is a call.\n\nIt ends here.") == [])
  }

  @Test func `a fence that is never closed runs to the end`() {
    #expect(code(in: "```swift\nf()\ng()") == [["f()", "g()"]])
  }

  @Test func `a comment's block is found and ends with the comment`() {
    let source = TextFile(
      path: "F.swift",
      text: """
        /// Does it.
        ///
        /// ```swift
        /// f()  // 1
        /// ```
        func f() {}

        /// ```swift
        /// g()
        func g() {}
        """)
    #expect(
      source.codeBlocksInComments == [
        CodeBlock(path: "F.swift", line: 3, code: ["f()  // 1"]),
        CodeBlock(path: "F.swift", line: 8, code: ["g()"]),
      ])
  }

  @Test func `a block occurs where its lines stand together, at any depth`() {
    let test = TextFile(path: "T.swift", text: "struct S {\n  f()\n\n    g()\n}")
    #expect(block(["f()", "", "g()"]).occurs(in: test))
  }

  @Test(arguments: [
    ["f()", "g()"],  // a line in between
    ["g()", "f()"],  // another order
    ["f(1)"],  // another call
    ["f()", "", "g()", "}", "}"],  // more than there is
    ["struct S {", "f()", "", "g()", "}", ""],  // longer than the file
    [],  // nothing that could be proven
  ])
  func `a block that differs does not occur`(code: [String]) {
    let test = TextFile(path: "T.swift", text: "struct S {\n  f()\n\n  g()\n}")
    #expect(!block(code).occurs(in: test))
  }

  @Test func `a part of a manifest is recognised`() {
    #expect(
      block(["dependencies: [", ".package(url: \"u\", from: \"1.0.0\")", "]"]).isManifestFragment)
    #expect(!block(["import SleeplessTesting"]).isManifestFragment)
  }

  private func code(in text: String) -> [[String]] {
    TextFile(path: "", text: text).codeBlocks.map(\.code)
  }

  private func block(_ code: [String]) -> CodeBlock { CodeBlock(path: "", line: 1, code: code) }
}
