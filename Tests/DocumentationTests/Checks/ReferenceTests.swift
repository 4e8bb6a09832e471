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

  private func declarations() throws -> [Declaration] {
    try ["Sleepless", "SleeplessSimulation", "SleeplessTesting"].flatMap { module in
      try TextFile.all(under: "Sources/\(module)", ending: ".swift").flatMap(\.publicDeclarations)
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

  var hasExample: Bool { comment.contains { $0.contains("```swift") } }
}

extension TextFile {
  fileprivate var publicDeclarations: [Declaration] {
    codeLines.compactMap { number, line in
      let code = line.trimmed
      guard code.hasPrefix("public ") || code.hasPrefix("open class "),
        !code.contains(" extension ")
      else { return nil }
      let above = lines[..<(number - 1)].reversed().map(\.trimmed).drop { line in
        ["@", "#if", "*,", ")"].contains(where: line.hasPrefix)
      }
      let comment = above.prefix { $0.hasPrefix("///") }.reversed()
      return Declaration(place: "\(path):\(number)", code: code, comment: Array(comment))
    }
  }
}
