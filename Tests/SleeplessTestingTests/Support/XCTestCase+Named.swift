import XCTest

extension XCTestCase {
  /// A test case that nothing runs.
  static func named(_ name: String) -> XCTestCase {
    #if canImport(Darwin)
      let testCase = NamedTestCase()
      testCase.label = name
      return testCase
    #else
      XCTestCase(name: name) { _ in }
    #endif
  }
}

#if canImport(Darwin)
  // Apple's XCTest names a test case after its method.
  private final class NamedTestCase: XCTestCase {
    var label = ""
    override var name: String { label }
  }
#endif
