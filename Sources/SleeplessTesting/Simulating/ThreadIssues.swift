import Sleepless
import SleeplessSimulation
import Testing

/// The issues recorded on threads that code of a simulated test has begun. Swift Testing does not know the test of a
/// thread.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package final class ThreadIssues: Sendable {
  /// The numbers of the simulations of all tests, of those that have ended too: a thread may outlive its test.
  private static let allSimulations = Locked<Set<UInt64>>([])

  /// Whether code of a simulated test has begun the calling thread.
  static var isOnThreadOfSimulatedTest: Bool { isThread(of: allSimulations) }

  private static func isThread(of simulations: Locked<Set<UInt64>>) -> Bool {
    let beginner = Simulation.numberOfBeginner
    return beginner != 0 && simulations.withLock { $0.contains(beginner) }
  }

  /// The numbers of this test's simulations: of two, if its determinism is checked.
  private let simulations = Locked<Set<UInt64>>([])
  private let noted = Locked<[CaughtFailure]>([])

  package init() {}

  /// From now on the threads that a simulation begins count as the test's.
  func begin(in simulation: Simulation?) {
    guard let number = simulation?.number else { return }
    simulations.withLock { _ = $0.insert(number) }
    Self.allSimulations.withLock { _ = $0.insert(number) }
  }

  /// Runs a test, and then fails it once for each line at which its threads have recorded issues meanwhile. The
  /// framework also prints these issues, without a test.
  func noting(
    for test: Test, _ body: @Sendable () async throws -> Void
  ) async throws {
    let noting = IssueHandlingTrait.compactMapIssues { [self] issue in
      guard Test.current == nil else { return issue }
      if issue.isFailure, Self.isThread(of: simulations) { note(CaughtFailure(issue)) }
      // An issue without a test comes to the handlers of all tests that run. The framework prints it for each handler
      // that returns it, and once in any case.
      return nil
    }
    defer { record(at: test.sourceLocation) }
    try await noting.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  private func note(_ failure: CaughtFailure) {
    noted.withLock { noted in
      if !noted.contains(where: { $0.place == failure.place }) { noted.append(failure) }
    }
  }

  private func record(at place: SourceLocation) {
    for failure in noted.withLock({ $0 }) {
      recordIssue(
        "A thread that this test has begun failed at \(failure.place): \(failure.text)", at: place)
    }
  }
}
