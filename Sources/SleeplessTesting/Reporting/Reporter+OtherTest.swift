import Sleepless
import Testing

extension Reporter {
  /// The name of the test that the caller runs in, if that is not the test that made the helper.
  ///
  /// Nil as well where it cannot be known: in detached tasks, on dispatch queues and on threads of a
  /// Swift Testing test, and for helpers made outside every test.
  package var otherTest: String? {
    switch test {
    case .outsideTests: return nil
    case .swiftTest(let test):
      guard let current = Test.current else { return nil }
      let name = current.displayName ?? current.name
      guard current.id == test.test.id else { return name }
      guard let testCase = Test.Case.current else { return nil }
      return test.hasSameArguments(as: testCase) ? nil : "another case of \(name)"
    case .testCase(let test):
      if let current = Test.current { return current.displayName ?? current.name }
      guard let running = XCTestProgress.shared.running, running !== test else { return nil }
      return running.name
    }
  }
}
