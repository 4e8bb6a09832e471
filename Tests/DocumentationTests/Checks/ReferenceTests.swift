import Testing

/// What each page of the reference has.
@Suite struct ReferenceTests {
  @Test func `every public declaration has a comment`() throws {
    for declaration in try declarations() where declaration.comment.isEmpty {
      Issue.record("\(declaration.place) has no comment: \(declaration.code)")
    }
  }

  @Test func `every public type has an example in its comment`() throws {
    let others = try declarations().filter { $0.type != nil && !$0.hasExample }
    // Parts of another type, whose page has the example; iterators; names of Combine, whose table is in WithoutCombine.
    #expect(
      Set(others.map { $0.type! }) == [
        "CallSite", "CombineLatest", "CombineLatest3", "CombinePublisher", "CombineScheduler",
        "ContractViolation", "Deferred", "Dispatch", "DispatchTimeType", "DispatchWallTimeType",
        "Empty", "Ending", "ExternalResumption", "ExternalResumptionMode", "Fail",
        "HasBackgroundQueue", "Iterator", "Jitter", "Just", "Merge", "Order", "PostedNotification",
        "Publisher", "PublisherValues", "Publishers", "Report", "SchedulerTimeType", "State",
        "Stride", "Subscribers", "TaskReport", "ThrowingPublisherValues", "Time", "TimerPublisher",
        "Used",
      ])
  }

  @Test func `every public function, initialiser and subscript has an example in its comment`()
    throws
  {
    // Named by their files.
    let exceptions = [
      // Combine's operators call them. `combine()` and `combine`, which users write, have examples.
      "CombineScheduler": [
        "schedule", "init", "distance", "advanced", "seconds", "milliseconds", "microseconds",
        "nanoseconds", "<", "+", "-", "*", "*=",
      ],
      "CombinePublisher": ["receive"],
      // The compiler calls it. The type has the example.
      "PublishedState": ["subscript"],
      // The test frameworks call them.
      "ExploredTrait": ["provideScope"], "SimulatedTrait": ["provideScope"],
      "CheckedAtEndTrait": ["provideScope"], "ExploredTestCase": ["init"],
    ]
    var unused = Set(exceptions.flatMap { file, names in names.map { "\(file) \($0)" } })
    for declaration in try declarations() {
      guard let name = declaration.function, !declaration.hasExample else { continue }
      if exceptions[declaration.file]?.contains(name) == true {
        unused.remove("\(declaration.file) \(name)")
      } else {
        Issue.record("\(declaration.place) has no example: \(declaration.code)")
      }
    }
    #expect(unused == [], "these exceptions have an example now, or are gone")
  }

  @Test func `no example in a comment names a type that only this package has`() throws {
    let blocks = try sources().flatMap(\.codeBlocksInComments)
    let found = blocks.filter { block in block.code.contains { $0.contains(/\bLocked\b/) } }
    #expect(found.map { "\($0.path):\($0.line)" } == [], "a copy in a user's test does not compile")
  }

  @Test func `a comment belongs to the declaration below it, over its attributes`() {
    let file = TextFile(
      path: "A.swift",
      text: """
        /// A.
        /// ```swift
        /// a()
        /// ```
        @available(macOS 15, *)
        public final class A {
          public var b = 1
        }
        """)
    let declarations = file.publicDeclarations
    #expect(declarations.map(\.place) == ["A.swift:6", "A.swift:7"])
    #expect(declarations.map(\.type) == ["A", nil])
    #expect(declarations.map(\.comment.count) == [4, 0])
    #expect(declarations.map(\.hasExample) == [true, false])
  }

  @Test func `functions have names, and those that a public protocol requires are public`() {
    let file = TextFile(
      path: "Sources/A/A+B.swift",
      text: """
          public protocol A {
            /// A.
            @discardableResult
            func a() -> Int
            var b: Int { get }
          }
          func c() {}
        extension A {
          public static func < (a: A, b: A) -> Bool { true }
          public func `catch`<T>(_ t: T) {}
          public mutating func d(
            e: Int) {}
          public init?(f: Int) { self.init() }
          public static subscript<T>(g: T) -> Int { 1 }
          public var initial: Int { subscript(1) }
        }
        """)
    let declarations = file.publicDeclarations
    #expect(
      declarations.map(\.function) == [
        nil, "a", nil, "<", "catch", "d", "init", "subscript", nil,
      ])
    #expect(declarations.map(\.comment.count) == [0, 1, 0, 0, 0, 0, 0, 0, 0])
    #expect(Set(declarations.map(\.file)) == ["A+B"])
  }

  private func declarations() throws -> [Declaration] {
    try sources().flatMap(\.publicDeclarations)
  }

  private func sources() throws -> [TextFile] {
    try ["Sleepless", "SleeplessSimulation", "SleeplessTesting"].flatMap { module in
      try TextFile.all(under: "Sources/\(module)", ending: ".swift")
    }
  }
}

private struct Declaration {
  let place: String
  let code: String
  /// The comment's lines.
  let comment: [String]

  /// Its name if it is a type.
  var type: String? {
    code.firstMatch(of: /(?:public|open) (?:final )?(?:struct|class|enum|protocol|actor) (\w+)/)
      .map { String($0.1) }
  }

  /// Its name if it is a function or an operator; `init` or `subscript` if it is one.
  var function: String? {
    code.firstMatch(of: /\bfunc `?(<|[^\s(<`]+)|^(?:\w+ )*(init|subscript)\b/)
      .map { String($0.1 ?? $0.2!) }
  }

  /// The name of its file, without the ending.
  var file: String {
    place.split(separator: "/").last!.split(separator: ".").first.map(String.init)!
  }

  var hasExample: Bool { comment.contains { $0.contains("```swift") } }
}

extension TextFile {
  fileprivate var publicDeclarations: [Declaration] {
    /// The line that ends the public protocol in which the next line is.
    var endOfProtocol: String?
    return codeLines.compactMap { number, line in
      let code = line.trimmed
      if line == endOfProtocol { endOfProtocol = nil }
      let isRequirement =
        endOfProtocol != nil
        && code.contains(/^(?:static |mutating )*(?:func |init\b|subscript\b|var )/)
      guard isRequirement || code.hasPrefix("public ") || code.hasPrefix("open class "),
        !code.contains(" extension ")
      else { return nil }
      if code.hasPrefix("public protocol "), code.hasSuffix("{") {
        endOfProtocol = line.prefix { $0 == " " } + "}"
      }
      let above = lines[..<(number - 1)].reversed().map(\.trimmed).drop { line in
        ["@", "#if", "*,", ")"].contains(where: line.hasPrefix)
      }
      let comment = above.prefix { $0.hasPrefix("///") }.reversed()
      return Declaration(place: "\(path):\(number)", code: code, comment: Array(comment))
    }
  }
}
