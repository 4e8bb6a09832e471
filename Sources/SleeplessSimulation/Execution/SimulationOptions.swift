import Sleepless
import VirtualTime

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// How a simulation chooses what runs next, what moves its time, and where it gives up.
  public struct Options: Sendable {
    /// What moves virtual time.
    public enum Time: Sendable {
      /// Time jumps to the next deadline whenever nothing can run.
      case automatic
      /// Time stands still until the code asks for it with ``Simulation/advance(by:)``.
      case manual
    }

    /// Which of several jobs that can run goes first.
    public enum Order: Sendable {
      /// The one that could run first.
      case firstCome
      /// One drawn at random, the same for the same seed.
      case shuffled(seed: UInt64)
    }

    /// What moves virtual time.
    public var time: Time
    /// Which of several jobs that can run goes first.
    public var order: Order
    /// How many jobs and moves of time are run before the simulation gives up.
    public var stepLimit: Int
    /// How far virtual time may go before the simulation gives up.
    public var timeLimit: Duration?
    /// How long, in real time, one job may run or an answer from outside may take.
    package var timeout: Duration
    /// How long something from outside may take that nobody expects, before nothing running is taken
    /// for a deadlock: long enough for whatever is on its way here already, short enough for a
    /// person (S6).
    package var deadlockTimeout = Duration.milliseconds(500)
    /// Whether the body and what it captured may be gone when the simulation is over: if it has not
    /// ended by then, none of its tasks must ever run again.
    package var isBodyLent = false
    /// Whether to write down which task took which step.
    package var recordsSteps = false
    /// Who decides which job goes next, instead of the order.
    package var controller: ScheduleController?
    /// What work due at one instant, delays within a tolerance and random numbers are drawn from; the
    /// order's seed if nil.
    package var timingSeed: UInt64?
    /// Makes each detached task, by calling what it gets, once and before it returns, as part of a task
    /// whose task-local values the new one is to have; or returns false, and the new one has none.
    package var makesDetached: (@Sendable (_ make: @escaping @Sendable () -> Void) -> Bool)?
    /// What is told of each step that has been taken, between it and the next.
    package var afterStep: (@Sendable (Simulation, StepNote) -> Void)?

    /// Makes the options; each has a default that suits most tests.
    public init(
      time: Time = .automatic, order: Order = .firstCome, stepLimit: Int = 1_000_000,
      timeLimit: Duration? = nil
    ) {
      self.time = time
      self.order = order
      self.stepLimit = stepLimit
      self.timeLimit = timeLimit
      timeout = HangTimeout.interval
    }

    /// How long to wait for something from outside, in real time.
    package func timeout(isExpected: Bool) -> Duration {
      isExpected ? timeout : min(timeout, deadlockTimeout)
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Options.Order {
  var seed: UInt64? {
    switch self {
    case .firstCome: nil
    case .shuffled(let seed): seed
    }
  }
}
