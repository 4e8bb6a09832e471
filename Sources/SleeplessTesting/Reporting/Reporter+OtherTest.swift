import Sleepless
import Testing

extension Reporter {
  /// The name of the test that the caller runs in, if that is not the test that made the helper.
  ///
  /// Nil as well where nobody can tell: in detached tasks, on dispatch queues and on threads of a
  /// Swift Testing test, and for what was made outside every test.
  package var otherTest: String? {
    switch owner {
    case .nobody: return nil
    case .swiftTest(let test, _):
      guard let current = Test.current else { return nil }
      let name = current.displayName ?? current.name
      guard current.id == test.id else { return name }
      guard let testCase, testCase.isParameterized, let other = Test.Case.current else {
        return nil
      }
      // Nothing public tells one case from another, but they print their arguments.
      return "\(other)" == "\(testCase)" ? nil : "another case of \(name)"
    case .testCase(let test):
      if let current = Test.current { return current.displayName ?? current.name }
      guard let running = XCTestProgress.shared.running, running !== test else { return nil }
      return running.name
    }
  }
}
