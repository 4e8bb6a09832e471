import Sleepless
import SleeplessSimulation
import Testing

/// The issues that threads record which a simulated test has begun. Swift Testing does not know their test.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package final class ThreadIssues: Sendable {
  /// The numbers of the simulations of all tests that run.
  private static let simulations = Locked<Set<UInt64>>([])

  /// Whether code of a simulated test that runs has begun the calling thread.
  static var areOfSimulatedTest: Bool {
    let beginner = Simulation.numberOfBeginner
    return beginner != 0 && simulations.withLock { $0.contains(beginner) }
  }

  /// The numbers of this test's simulations: of two, if its determinism is checked.
  private let simulations = Locked<Set<UInt64>>([])
  private let noted = Locked<[CaughtFailure]>([])

  package init() {}

  /// Takes the threads that a simulation begins for the test's.
  func begin(in simulation: Simulation?) {
    guard let number = simulation?.number else { return }
    simulations.withLock { _ = $0.insert(number) }
    Self.simulations.withLock { _ = $0.insert(number) }
  }

  /// Runs a test, and then fails it for each issue that its threads have recorded meanwhile. The framework also prints
  /// each of them without the test.
  func noting(
    for test: Test, _ body: @Sendable () async throws -> Void
  ) async throws {
    let noting = IssueHandlingTrait.compactMapIssues { [self] issue in
      if issue.isFailure, Test.current == nil, isOfThisTest {
        noted.withLock { $0.append(CaughtFailure(issue)) }
      }
      return issue
    }
    defer { end(at: test.sourceLocation) }
    try await noting.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }

  private var isOfThisTest: Bool {
    let beginner = Simulation.numberOfBeginner
    return beginner != 0 && simulations.withLock { $0.contains(beginner) }
  }

  private func end(at place: SourceLocation) {
    let ended = simulations.withLock { $0 }
    Self.simulations.withLock { $0.subtract(ended) }
    for failure in noted.withLock({ $0 }) {
      recordIssue(
        "A thread that this test has begun failed at \(failure.place): \(failure.text)", at: place)
    }
  }
}
