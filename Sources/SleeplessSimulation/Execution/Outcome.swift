import Sleepless
import VirtualTime

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// What came of a simulation.
  public struct Outcome<Value> {
    /// What the body returned or threw; nil if it did not come to its end.
    public let result: Result<Value, any Error>?
    /// How it went.
    public let report: Report
  }

  /// How a simulation went.
  public struct Report: Sendable {
    /// Why it ended.
    public let ending: Ending
    /// The virtual time that it took.
    public let elapsed: Duration
    /// How many jobs and moves of time it took.
    public let steps: Int
    /// How often something from outside made one of its tasks able to run; an answer that comes before
    /// its task has begun to wait leaves no trace.
    public let externalResumptionCount: Int
    /// The tasks that were resumed so, as far as they are known; the first ten.
    public let externalResumptions: [TaskReport]
    /// The tasks that had not ended when the body had, or when nothing could go on; those that are
    /// meant to live on are left out, as is the body.
    public let unfinishedTasks: [TaskReport]
    /// The body, if it had not ended.
    public let body: TaskReport?
    /// The tasks that had not ended even after everything had been cancelled.
    public let tasksIgnoringCancellation: [TaskReport]
    /// The work on queues and schedulers of the simulation that was still to come.
    package let pendingWork: [WorkRecord]
    package let trace: [StepRecord]
    /// Whether the body came to its end; where tasks are not seen ``body`` does not tell.
    let hasBodyEnded: Bool
  }

  /// Why a simulation ended.
  public enum Ending: Sendable {
    /// The body came to its end, and nothing could run any more without time moving.
    case finished
    /// Nothing could run, nothing was due, and the body had not ended.
    case deadlock
    /// The limit of steps was reached; of the unfinished tasks these took the most.
    case tooManySteps(busiest: [TaskReport])
    /// The limit of virtual time was reached.
    case tooLate
    /// One job has kept its thread for as long as the guard allows.
    case threadBlocked
    /// The main actor has taken no jobs for as long as the guard allows.
    case mainActorBlocked
    /// It was started inside another simulation.
    case nested
  }

  /// A task as a failure's text tells of it.
  public struct TaskReport: Sendable {
    /// Counted from 1, in the order of making; the body is 0.
    public let number: Int
    /// The name that the code gave it, if it did.
    public let name: String?
    /// What it does or waits for.
    public let state: State
    /// The virtual time at which it was last seen to run.
    public let since: Duration
    /// Where it will go on, innermost first, as addresses of code.
    let frames: [UInt]
    /// How many steps it took.
    public let steps: Int

    /// The functions it is in, innermost first, as far as the program's symbols tell.
    ///
    /// They are looked up when asked for, which takes about a millisecond.
    public var functions: [String] { FunctionNames.ofUser(at: frames) }

    /// What a task does or waits for.
    public enum State: Sendable {
      /// It was running when the simulation gave up.
      case running
      /// It could run.
      case ready
      /// It sleeps until that instant.
      case sleeping(until: Duration)
      /// It waits for what a helper of the library says.
      case waiting(String)
      /// It waits for something unknown: a continuation, another task, a stream.
      case suspended
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Outcome: Sendable where Value: Sendable {}
