import Sleepless
import VirtualTime

extension Simulation {
  /// How a simulation chooses the next job, what moves its time, and when it gives up.
  ///
  /// ```swift
  /// let options = Simulation.Options(timeLimit: .seconds(86_400))
  /// let outcome = await Simulation.run(options) {
  ///   while true { try await Task.sleep(for: .seconds(60)) }
  /// }
  /// // outcome.report.ending is .tooLate
  /// ```
  public struct Options: Sendable {
    /// What moves virtual time.
    public enum Time: Sendable {
      /// Time jumps to the next deadline whenever nothing can run.
      case automatic
      /// Time moves only when the code calls ``Simulation/advance(by:)``.
      case manual
    }

    /// Which job runs first if several can run.
    public enum Order: Sendable {
      /// The job that became able to run first.
      case firstCome
      /// A random job, the same one for the same seed.
      case shuffled(seed: UInt64)
    }

    /// Where the blocks run that the simulation's code gives to queues of Dispatch.
    public enum Dispatch: Sendable {
      /// In the simulation, in its order and its time, if it can follow queues: on Linux.
      case inside
      /// Outside, as without the simulation.
      case outside
    }

    /// What moves virtual time.
    public var time: Time
    /// Which job runs first if several can run.
    public var order: Order
    /// Where blocks on queues of Dispatch run.
    public var dispatch: Dispatch
    /// How many jobs run, and how often time moves, before the simulation gives up.
    public var stepLimit: Int
    /// How far virtual time may move before the simulation gives up.
    public var timeLimit: Duration?
    /// How long, in real time, one job may run, or expected work outside may take.
    package var timeout: Duration
    /// How long the simulation waits, in real time, for unexpected work outside before it declares a
    /// deadlock: long enough for a resumption that is under way, short enough for a person (S6).
    package var deadlockTimeout = Duration.milliseconds(500)
    /// Whether the body and its captures may be freed when the simulation is over. If the body has not ended
    /// by then, no task of the simulation may ever run again.
    package var isBodyLent = false
    /// Whether to record which task took which step.
    package var recordsSteps = false
    /// Chooses which job runs next, instead of the order.
    package var controller: ScheduleController?
    /// The seed for the order of work due at one instant and of the iterations of `concurrentPerform`, for delays
    /// within a tolerance and for random numbers; the order's seed if nil.
    package var timingSeed: UInt64?
    /// Decides which task-local values a detached task gets. `make` creates the detached task, which gets
    /// the values of the task that calls `make`. The function calls `make` once and returns true; or it
    /// returns false without the call, and the detached task gets none.
    package var makesDetached: (@Sendable (_ make: @escaping @Sendable () -> Void) -> Bool)?
    /// Is called after each step, before the next one.
    package var afterStep: (@Sendable (Simulation, StepNote) -> Void)?

    /// Makes the options; each has a default that suits most tests.
    ///
    /// ```swift
    /// let options = Simulation.Options(order: .shuffled(seed: 7), timeLimit: .seconds(86_400))
    /// let outcome = await Simulation.run(options) { try await Task.sleep(for: .seconds(60)) }
    /// #expect(outcome.report.elapsed == .seconds(60))
    /// ```
    public init(
      time: Time = .automatic, order: Order = .firstCome, dispatch: Dispatch = .inside,
      stepLimit: Int = 1_000_000, timeLimit: Duration? = nil
    ) {
      self.time = time
      self.order = order
      self.dispatch = dispatch
      self.stepLimit = stepLimit
      self.timeLimit = timeLimit
      timeout = HangTimeout.interval
    }

    /// How long to wait for work outside, in real time.
    package func timeout(isExpected: Bool) -> Duration {
      isExpected ? timeout : min(timeout, deadlockTimeout)
    }
  }
}

extension Simulation.Options.Order {
  var seed: UInt64? {
    switch self {
    case .firstCome: nil
    case .shuffled(let seed): seed
    }
  }
}
