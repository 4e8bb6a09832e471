import Testing

@testable import FindWaits

@Suite struct ChangedFilesTests {
  /// The change of the test `a` in a text.
  private func change(
    of source: String = "@Test func a() async {}", in file: String = "Tests/AppTests/A.swift"
  ) -> Change {
    let range = source.firstRange(of: "@Test func")!
    let start = source.utf8.distance(from: source.startIndex, to: range.lowerBound)
    return Change(
      file: file,
      edit: Edit(range: start..<(start + 5), before: "@Test", after: "@Test(.simulated)"),
      name: "a", filter: "a")
  }

  private func texts(_ source: String, manifest: String = "") -> [String: String] {
    let change = change(of: source)
    return ChangedFiles([change]) { $0 == "Package.swift" ? manifest : source }
      .texts(with: [change])
  }

  @Test func `the import stands behind the others, and the line is changed`() {
    let source = "import Testing\n@testable import App\n@Test func a() async {}\n"
    #expect(
      texts(source)["Tests/AppTests/A.swift"] == """
        import Testing
        @testable import App
        import SleeplessTesting
        @Test(.simulated) func a() async {}

        """)
  }

  @Test func `an import that is there is not added, and none behind a condition`() {
    let there = "import Testing\nimport SleeplessTesting\n@Test func a() async {}\n"
    #expect(
      texts(there)["Tests/AppTests/A.swift"]
        == "import Testing\nimport SleeplessTesting\n@Test(.simulated) func a() async {}\n")
    let conditional = "import Testing\n#if os(Linux)\n@Test func a() async {}\nimport Glibc\n#endif"
    #expect(
      texts(conditional)["Tests/AppTests/A.swift"]
        == "import Testing\nimport SleeplessTesting\n#if os(Linux)\n@Test(.simulated) func a() async {}\nimport Glibc\n#endif"
    )
  }

  @Test(arguments: [
    ("import A\n@Test func a() {}\nlet b = \"\"\"\nimport A\n\"\"\"\n", 1),
    ("import A\n/*\nimport B\n*/\n@Test func a() {}", 1),
    ("/*\nimport B\n*/\n@Test func a() {}", 0),
    ("import A  /*\nimport B\n*/\n@Test func a() {}", 0),
    ("@_spi(A) import A\n@preconcurrency public import B\n@Test func a() {}", 2),
    ("import A\nlet b = \"\"\"\nimport SleeplessTesting\n\"\"\"\n@Test func a() {}", 1),
  ])
  func `the import stands where it is code`(source: String, line: Int) {
    let lines = texts(source)["Tests/AppTests/A.swift"]?.split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines?[line] == "import SleeplessTesting")
  }

  static let product = #".product(name: "SleeplessTesting", package: "Sleepless")"#

  @Test(arguments: [
    (
      #".testTarget(name: "AppTests", dependencies: ["App"])"#,
      #".testTarget(name: "AppTests", dependencies: [\#(product), "App"])"#
    ),
    (
      #".testTarget(name: "AppTests", dependencies: [])"#,
      #".testTarget(name: "AppTests", dependencies: [\#(product)])"#
    ),
    (
      #".testTarget(name: "AppTests")"#,
      #".testTarget(name: "AppTests", dependencies: [\#(product)])"#
    ),
    (
      ".testTarget(\n  name: \"AppTests\",\n  dependencies: [\n    \"App\"])",
      ".testTarget(\n  name: \"AppTests\",\n  dependencies: [\n    \(product), \"App\"])"
    ),
    (
      ".testTarget(name: \"AppTests\",  // the app's :)\n  dependencies: [\"App\"])",
      ".testTarget(name: \"AppTests\",  // the app's :)\n  dependencies: [\(product), \"App\"])"
    ),
    (
      "// .testTarget(name: \"AppTests\")\n.testTarget(name: \"AppTests\")",
      "// .testTarget(name: \"AppTests\")\n.testTarget(name: \"AppTests\", dependencies: [\(product)])"
    ),
    (
      #".testTarget(name: "AppTests", dependencies: ["App"] + shared)"#,
      #".testTarget(name: "AppTests", dependencies: [\#(product), "App"] + shared)"#
    ),
    (
      #".testTarget(name: "AppTests", dependencies: [Target.Dependency]())"#,
      #".testTarget(name: "AppTests", dependencies: [Target.Dependency]())"#
    ),
    (#".testTarget(name: "OtherTests")"#, #".testTarget(name: "OtherTests")"#),
    (
      #".testTarget(name: "AppTests", dependencies: shared)"#,
      #".testTarget(name: "AppTests", dependencies: shared)"#
    ),
    (
      #".testTarget(name: "AppTests", dependencies: [\#(product)])"#,
      #".testTarget(name: "AppTests", dependencies: [\#(product)])"#
    ),
  ])
  func `the target gets the product`(before: String, after: String) {
    #expect(texts("\n\n@Test func a() async {}", manifest: before)["Package.swift"] == after)
  }

  @Test(arguments: [
    (#".testTarget(name: "Unit", path: "Tests")"#, true),
    (#".testTarget(name: "Unit", path: "Tests/AppTests/")"#, true),
    (#".testTarget(name: "Unit", path: "./Tests/AppTests")"#, true),
    (#".testTarget(name: "AppTests", path: "Other")"#, false),
    (#".testTarget(name: "Unit", path: "Tests/App")"#, false),
  ])
  func `the path of the target decides`(manifest: String, isFound: Bool) {
    let after = texts("\n\n@Test func a() async {}", manifest: manifest)["Package.swift"]
    #expect(after?.contains("SleeplessTesting") == isFound)
  }

  @Test func `of two targets the inner one gets the product`() {
    let inner = #".testTarget(name: "AppTests")"#
    let outer = #".testTarget(name: "Unit", path: "Tests", exclude: ["AppTests"]), "#
    #expect(
      texts("\n\n@Test func a() async {}", manifest: outer + inner)["Package.swift"]
        == outer + #".testTarget(name: "AppTests", dependencies: [\#(Self.product)])"#)
  }

  @Test func `two targets get the product`() {
    let (change, other) = (change(), change(in: "Tests/Other/B.swift"))
    let files = ChangedFiles([change, other]) {
      $0 == "Package.swift"
        ? #".testTarget(name: "AppTests"), .testTarget(name: "Unit", path: "Tests/Other")"#
        : "@Test func a() async {}"
    }
    #expect(
      files.texts(with: [change, other])["Package.swift"] == """
        .testTarget(name: "AppTests", dependencies: [\(Self.product)]), \
        .testTarget(name: "Unit", dependencies: [\(Self.product)], path: "Tests/Other")
        """)
  }

  @Test(arguments: [
    (["Package.swift", "Sources"], "Package.swift"),
    (
      ["Package.swift", "Package@swift-4.2.swift", "Package@swift-5.3.swift"],
      "Package@swift-5.3.swift"
    ),
    (["Package@swift-5.10.swift", "Package@swift-5.9.swift"], "Package@swift-5.10.swift"),
  ])
  func `the manifest is the one for the newest compiler`(names: [String], manifest: String) {
    #expect(ChangedFiles.manifest(of: names) == manifest)
  }

  @Test(arguments: [
    ([6, 3], "Package@swift-6.3.1.swift"), ([6, 4], "Package@swift-6.4.swift"),
    ([6, 2], "Package@swift-6.swift"), ([.max], "Package@swift-7.swift"),
  ])
  func `a manifest for a later compiler is passed over`(compiler: [Int], manifest: String) {
    let names = ["", "@swift-6", "@swift-6.3.1", "@swift-6.4", "@swift-7"].map {
      "Package\($0).swift"
    }
    #expect(ChangedFiles.manifest(of: names, for: compiler) == manifest)
  }

  @Test func `the product is of the package that the manifest names`() {
    let change = change()
    let files = ChangedFiles([change], sleepless: "sleepless-fork") {
      $0 == "Package.swift" ? #".testTarget(name: "AppTests")"# : "@Test func a() async {}"
    }
    let product = #".product(name: "SleeplessTesting", package: "sleepless-fork")"#
    #expect(
      files.texts(with: [change])["Package.swift"]
        == #".testTarget(name: "AppTests", dependencies: [\#(product)])"#)
  }

  @Test func `the target is a folder in that of the manifest`() {
    let change = change(in: "/home/Tests/app/Tests/AppTests/A.swift")
    let files = ChangedFiles([change], folder: "/home/Tests/app") {
      $0 == "Package.swift" ? #".testTarget(name: "AppTests")"# : "@Test func a() async {}"
    }
    #expect(
      files.texts(with: [change])["Package.swift"]
        == #".testTarget(name: "AppTests", dependencies: [\#(Self.product)])"#)
  }

  @Test func `without changes all files are as they were`() {
    let source = "import Testing\n\n@Test func a() async {}"
    let change = change(of: source)
    let files = ChangedFiles([change]) { $0 == "Package.swift" ? "manifest" : source }
    #expect(
      files.texts(with: []) == ["Package.swift": "manifest", "Tests/AppTests/A.swift": source])
  }

  @Test func `lines that end with a carriage return keep it`() {
    let source = "import Testing\r\n\r\n@Test func a() async {}\r\n"
    let change = change(of: source)
    let files = ChangedFiles([change]) { $0 == "Package.swift" ? nil : source }
    let texts = files.texts(with: [change])
    #expect(
      texts["Tests/AppTests/A.swift"]
        == "import Testing\r\nimport SleeplessTesting\r\n\r\n@Test(.simulated) func a() async {}\r\n"
    )
    #expect(
      files.diff(texts) == """
        --- Tests/AppTests/A.swift
        +++ Tests/AppTests/A.swift
        @@ line 2
        +import SleeplessTesting
        @@ line 3
        -@Test func a() async {}
        +@Test(.simulated) func a() async {}

        """)
  }

  @Test func `a place with another text is not changed`() {
    let change = change()
    let texts = ChangedFiles([change]) { $0 == "Package.swift" ? nil : "// @Test func a() {}" }
      .texts(with: [change])
    #expect(texts["Tests/AppTests/A.swift"] == "import SleeplessTesting\n// @Test func a() {}")
  }

  @Test func `the diff has the lines`() {
    let source = "import Testing\n\n@Test func a() async {}"
    let change = change(of: source)
    let files = ChangedFiles([change]) {
      $0 == "Package.swift" ? "[.testTarget(name: \"AppTests\")]" : source
    }
    #expect(
      files.diff(files.texts(with: [change])) == """
        --- Package.swift
        +++ Package.swift
        @@ line 1
        -[.testTarget(name: "AppTests")]
        +[.testTarget(name: "AppTests", dependencies: [\(Self.product)])]
        --- Tests/AppTests/A.swift
        +++ Tests/AppTests/A.swift
        @@ line 2
        +import SleeplessTesting
        @@ line 3
        -@Test func a() async {}
        +@Test(.simulated) func a() async {}

        """)
  }
}
