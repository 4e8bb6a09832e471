import Sleepless
import VirtualTime

extension Simulation {
  /// The result of a simulation, and how it went.
  ///
  /// ```swift
  /// let outcome = await Simulation.run {
  ///   Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
  /// }
  /// for task in outcome.report.unfinishedTasks {
  ///   print(task.name ?? "a task")  // poller
  /// }
  /// ```
  public struct Outcome<Value> {
    /// What the body returned or threw; nil if it did not end.
    public let result: Result<Value, any Error>?
    /// How the simulation went.
    public let report: Report

    package init(result: Result<Value, any Error>?, report: Report) {
      self.result = result
      self.report = report
    }
  }

  /// How a simulation went.
  public struct Report: Sendable {
    /// Why the simulation ended.
    public let ending: Ending
    /// The virtual time that the simulation took.
    public let elapsed: Duration
    /// How many jobs ran, and how often time moved.
    public let steps: Int
    /// How often code outside the simulation resumed one of its tasks.
    ///
    /// A resumption that comes before the task has been suspended is not counted.
    public let externalResumptionCount: Int
    /// The first ten of these resumptions whose tasks are known.
    public let externalResumptions: [ExternalResumption]
    /// The tasks that had not ended when the body ended, or when the simulation could not go on.
    ///
    /// Background tasks are left out, and so is the body.
    public let unfinishedTasks: [TaskReport]
    /// The body, if it had not ended.
    public let body: TaskReport?
    /// The tasks that had not ended after everything had been cancelled.
    public let tasksIgnoringCancellation: [TaskReport]
    /// What the simulation's code began and the simulation does not control, as far as that is seen.
    package let begunOutside: [BegunOutside]
    /// The blocks on queues of Dispatch that had not begun, if the simulation is deadlocked.
    package let waitingBlocks: [WaitingBlocks]
    /// The pending work on queues and schedulers of the simulation.
    package let pendingWork: [WorkRecord]
    package let trace: [StepRecord]
    /// What the code of a synchronous test waits for, if the simulation could not go on because of that.
    package internal(set) var waitOfTest: WaitOfTest?
    /// Whether blocks on queues of Dispatch ran in the simulation.
    package let followsQueues: Bool
    /// Whether the body ended. ``body`` does not tell if the capture misses tasks.
    let hasBodyEnded: Bool
    /// Whether a blocked job, or blocked code of a test, kept other jobs from the main actor when the report was made.
    /// At a normal end that is after the cancellation.
    let keepsMainActor: Bool
    /// Whether no other schedule can run: a job has not returned, the main actor took no job, or a blocked job keeps
    /// the main actor. A job that is blocked elsewhere keeps its thread, but other schedules can run.
    package var preventsNextSchedule: Bool {
      switch ending {
      case .threadBlocked, .mainActorBlocked: true
      default: keepsMainActor
      }
    }
  }

  /// A wait of a synchronous test's own code, which is in no task.
  package struct WaitOfTest: Sendable {
    package let reason: String
    package let since: Duration
  }

  /// Why a simulation ended.
  public enum Ending: Sendable {
    /// The body ended, and nothing else could run without time moving.
    case finished
    /// Nothing could run, nothing was due, and the body had not ended.
    case deadlock
    /// The limit of steps was reached; these unfinished tasks took the most steps.
    case tooManySteps(busiest: [TaskReport])
    /// The limit of virtual time was reached.
    case tooLate
    /// A helper gave the simulation up.
    case givenUp(because: String)
    /// So many threads were blocked at the same time that the system might have no more.
    case tooManyBlockedThreads(Int)
    /// One job has blocked its thread for as long as the hang timeout.
    case threadBlocked
    /// The main actor has run no jobs for as long as the hang timeout.
    case mainActorBlocked
    /// The simulation was started inside another one.
    case nested
  }

  /// A resumption of a task by code outside its simulation.
  public struct ExternalResumption: Sendable {
    /// The task, as it was suspended.
    public let task: TaskReport
    /// The virtual time at which it was resumed.
    public let time: Duration
  }

  /// The state of a task, as failures describe it.
  public struct TaskReport: Sendable {
    /// Counted from 1, in the order of creation; the body is 0.
    public let number: Int
    /// The name that the code gave it, if it did.
    public let name: String?
    /// What the task does or waits for.
    ///
    /// ```swift
    /// let outcome = await Simulation.run {
    ///   Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
    /// }
    /// for task in outcome.report.unfinishedTasks {
    ///   print(task.state)  // sleeping(until: 60.0 seconds)
    ///   print(task.functions)  // such as ["closure at Poller.swift:12"]
    /// }
    /// ```
    public let state: State
    /// The virtual time at which it was last seen to run.
    public let since: Duration
    /// The functions that it is suspended in, innermost first, as addresses of code.
    let frames: [UInt]
    let initializer: UInt
    /// Whether it waits in a call that blocks its thread.
    package let blocksThread: Bool
    /// How many steps it took.
    public let steps: Int

    /// The global or static variable whose initializer created the task, such as `Cache.shared`; nil if none did, and
    /// where that is unknown. Always nil except on Linux.
    public var globalVariable: String? {
      initializer == 0 ? nil : FunctionNames.variable(initializedAt: initializer)
    }

    /// The functions that the task is in, innermost first, each with the line at which it goes on:
    /// `Cart.pay(card:) at Cart.swift:12`. Names need symbols, and lines need debug information.
    ///
    /// The first lookup of a function takes about a millisecond.
    ///
    /// ```swift
    /// let outcome = await Simulation.run {
    ///   Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
    /// }
    /// for task in outcome.report.unfinishedTasks {
    ///   print(task.state)  // sleeping(until: 60.0 seconds)
    ///   print(task.functions)  // such as ["closure at Poller.swift:12"]
    /// }
    /// ```
    public var functions: [String] { codeFrames.map(\.text) }

    package var codeFrames: [CodeFrame] { CodeFrame.ofUser(at: frames) }

    /// What a task does or waits for.
    public enum State: Sendable {
      /// It was running when the simulation ended.
      case running
      /// It could run.
      case ready
      /// It sleeps until that instant.
      case sleeping(until: Duration)
      /// It waits in a helper of the library, or blocks its thread until a semaphore is signalled or a group is
      /// empty. The text names what it waits for.
      case waiting(String)
      /// It waits for something unknown: a continuation, another task, a stream.
      case suspended
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Outcome: Sendable where Value: Sendable {}
