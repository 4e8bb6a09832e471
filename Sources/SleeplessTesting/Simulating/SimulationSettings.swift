import Sleepless
import SleeplessSimulation

/// What a simulated test asks of its simulation, and what it lets pass.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct SimulationSettings: Sendable {
  var options: Simulation.Options
  var allowing: Leftovers
  var escapes: EscapeMode
}

/// What may be left over when the body of a simulation has ended.
public struct Leftovers: OptionSet, Sendable {
  /// One bit for each kind.
  public let rawValue: Int

  /// Makes a set of its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Tasks that sleep.
  public static let sleepingTasks = Leftovers(rawValue: 1 << 0)
  /// Tasks that wait for something other than time.
  public static let suspendedTasks = Leftovers(rawValue: 1 << 1)
  /// Work on the simulation's scheduler and queues.
  public static let pendingWork = Leftovers(rawValue: 1 << 2)
  /// All of them.
  public static let everything: Leftovers = [.sleepingTasks, .suspendedTasks, .pendingWork]
}

/// What becomes of escapes: tasks made able to run by something outside the simulation, whose timing
/// is not in its hands.
public enum EscapeMode: Sendable {
  /// They are counted, and the texts of failures say so.
  case ignored
  /// The test gets a warning, where its framework has warnings; elsewhere it is printed.
  case warned
  /// The test fails.
  case failed
}
