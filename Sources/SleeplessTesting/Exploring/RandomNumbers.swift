import Sleepless
import SleeplessSimulation
import VirtualTime

/// Random numbers from the simulation's seed, the same in each replay.
///
/// ```swift
/// @Test(.explored) func `cards are shuffled alike in each replay`() {
///   var numbers = Simulation.randomNumbers()
///   let cards = (1...52).shuffled(using: &numbers)
///   #expect(Set(cards).count == 52)
/// }
/// ```
public struct SimulationRandomNumbers: RandomNumberGenerator, Sendable {
  private let source: Source

  fileprivate final class Source: Sendable {
    private let generator: Locked<SeededGenerator>

    init(seed: UInt64) { generator = Locked(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }
  }

  fileprivate init(_ source: Source) { self.source = source }

  /// Returns the next number. Any thread may call it; all copies share one sequence.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let numbers = Simulation.randomNumbers()
  /// let copy = numbers
  /// #expect(numbers.next() != copy.next())  // the first number and the second
  /// ```
  public func next() -> UInt64 { source.next() }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Returns random numbers for the test: different in each schedule, the same in each replay.
  ///
  /// In a simulation that is not explored they come from the seed of its order, or from zero. Called
  /// outside a simulation it fails the test.
  ///
  /// The test of this example has the trait `.explored`.
  ///
  /// ```swift
  /// var numbers = Simulation.randomNumbers()
  /// let die = Int.random(in: 1...6, using: &numbers)
  /// #expect((1...6).contains(die))  // the same number in each replay
  /// ```
  public static func randomNumbers(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> SimulationRandomNumbers {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let simulation = require("Simulation.randomNumbers()", at: site) else {
      return SimulationRandomNumbers(SimulationRandomNumbers.Source(seed: 0))
    }
    let seed = simulation.randomSeed
    return SimulationRandomNumbers(
      simulation.associatedObject { _ in SimulationRandomNumbers.Source(seed: seed) })
  }
}
