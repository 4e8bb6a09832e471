import Sleepless
import SleeplessSimulation

/// What a simulated test asks of its simulation, and what it lets pass.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public struct SimulationSettings: Sendable {
  /// How the simulation chooses what runs next, what moves its time, and where it gives up.
  public var options: Simulation.Options
  /// What may be left over when the body has ended.
  public var allowing: Leftovers
  /// What becomes of tasks that something outside resumes.
  public var externalResumptions: ExternalResumptionMode
  /// Whether each test is run twice and the two are compared.
  var checksDeterminism = false
  let site: CallSite

  /// Makes the settings; failures that belong to no other line appear at this one.
  public init(
    time: Simulation.Options.Time = .automatic, order: Simulation.Options.Order = .firstCome,
    stepLimit: Int = 1_000_000, timeLimit: Duration? = nil, allowing: Leftovers = [],
    externalResumptions: ExternalResumptionMode = .ignored,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    options = Simulation.Options(
      time: time, order: order, stepLimit: stepLimit, timeLimit: timeLimit)
    self.allowing = allowing
    self.externalResumptions = externalResumptions
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  }
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

/// What becomes of external resumptions: tasks made able to run by something outside the simulation, whose timing
/// is not in its hands.
public enum ExternalResumptionMode: Sendable {
  /// They are counted, and the texts of failures say so.
  case ignored
  /// The test gets a warning, where its framework has warnings; elsewhere it is printed.
  case warned
  /// The test fails.
  case failed
}
