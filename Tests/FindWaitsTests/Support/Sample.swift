@testable import FindWaits

/// Source for one test of a table.
enum Sample {
  /// A test of Swift Testing with a body.
  static func test(_ body: String, traits: String = "") -> String {
    "import Testing\n@Test\(traits) func example() async throws {\n\(body)\n}\n"
  }

  /// A test case of XCTest with one test.
  static func testCase(
    _ body: String, base: String = "XCTestCase", effects: String = "async throws "
  ) -> String {
    """
    import XCTest
    final class ExampleTests: \(base) {
      func testExample() \(effects){
        \(body)
      }
    }

    """
  }
}

extension Report {
  /// The report of one file called `Tests/A.swift`.
  init(_ text: String) { self.init([SourceText(path: "Tests/A.swift", text: text)]) }

  var places: [Place] { tests.flatMap(\.places) }
}

extension Place {
  /// The kind and the literal duration.
  var summary: String {
    seconds.map { "\(kind.rawValue) \($0.secondsText)" } ?? kind.rawValue
  }
}
