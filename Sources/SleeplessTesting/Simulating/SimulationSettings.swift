import Sleepless
import SleeplessSimulation

/// The settings of a simulated test: how it runs, and what it allows.
///
/// ```swift
/// let settings = SimulationSettings(timeLimit: .seconds(86_400), allowing: .sleepingTasks)
/// ```
public struct SimulationSettings: Sendable {
  /// How the simulation chooses the next job, what moves its time, and when it gives up.
  public var options: Simulation.Options
  /// What may be left over when the body has ended.
  public var allowing: Leftovers
  /// What to do about tasks that something outside the simulation resumes.
  public var externalResumptions: ExternalResumptionMode
  /// Whether each test is run twice and the two runs are compared.
  var checksDeterminism = false
  let site: CallSite

  /// Makes the settings; failures that belong to no other line appear at this one.
  ///
  /// ```swift
  /// let settings = SimulationSettings(timeLimit: .seconds(86_400), allowing: .sleepingTasks)
  /// #expect(settings.options.timeLimit == .seconds(86_400))
  /// ```
  public init(
    time: Simulation.Options.Time = .automatic, order: Simulation.Options.Order = .firstCome,
    dispatch: Simulation.Options.Dispatch = .inside, stepLimit: Int = 1_000_000,
    timeLimit: Duration? = nil, allowing: Leftovers = [],
    externalResumptions: ExternalResumptionMode = .ignored,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    options = Simulation.Options(
      time: time, order: order, dispatch: dispatch, stepLimit: stepLimit, timeLimit: timeLimit)
    self.allowing = allowing
    self.externalResumptions = externalResumptions
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// What may be left over when the body of a simulation has ended.
///
/// ```swift
/// @Test(.simulated(allowing: .sleepingTasks)) func `a poller may go on`() {
///   Task { while true { try await Task.sleep(for: .seconds(60)) } }
/// }
/// ```
public struct Leftovers: OptionSet, Sendable {
  /// One bit for each kind.
  ///
  /// ```swift
  /// let allowed: Leftovers = [.sleepingTasks, .pendingWork]
  /// #expect(Leftovers(rawValue: allowed.rawValue) == allowed)
  /// #expect(Leftovers.everything.contains(.suspendedTasks))
  /// ```
  public let rawValue: Int

  /// Makes a set of its bits.
  ///
  /// ```swift
  /// let allowed: Leftovers = [.sleepingTasks, .pendingWork]
  /// #expect(Leftovers(rawValue: allowed.rawValue) == allowed)
  /// #expect(Leftovers.everything.contains(.suspendedTasks))
  /// ```
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Tasks that sleep.
  public static let sleepingTasks = Leftovers(rawValue: 1 << 0)
  /// Tasks that wait for something other than time.
  public static let suspendedTasks = Leftovers(rawValue: 1 << 1)
  /// Work on the simulation's scheduler and queues.
  public static let pendingWork = Leftovers(rawValue: 1 << 2)
  /// All of them.
  ///
  /// ```swift
  /// let allowed: Leftovers = [.sleepingTasks, .pendingWork]
  /// #expect(Leftovers(rawValue: allowed.rawValue) == allowed)
  /// #expect(Leftovers.everything.contains(.suspendedTasks))
  /// ```
  public static let everything: Leftovers = [.sleepingTasks, .suspendedTasks, .pendingWork]
}

/// What to do about external resumptions: tasks that something outside the simulation resumes, at a time
/// that the simulation does not control.
public enum ExternalResumptionMode: Sendable {
  /// They are counted, and the texts of failures say so.
  case ignored
  /// The test gets a warning; in XCTest the warning is printed.
  case warned
  /// The test fails.
  case failed
}
