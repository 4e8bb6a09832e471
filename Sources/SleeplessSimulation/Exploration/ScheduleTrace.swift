import Sleepless

/// One schedule as it ran: which task took which step, when, and which jobs could have run instead.
///
/// It holds numbers only; names of functions are looked up at each call, which takes about a millisecond.
package struct ScheduleTrace: Sendable {
  /// The tasks in the order of creation; a task's number is its index. The body is 0.
  package var tasks: [Participant] = []
  /// The steps in the order in which they were taken.
  package var steps: [Step] = []

  package init() {}

  /// A task that took part.
  package struct Participant: Sendable {
    /// Counted from 0 in the order of creation; 0 is the body.
    package let number: Int
    /// The name that the code gave it, if it did.
    package let name: String?
    /// The task that created it; nil for the body, and for a task that code outside tasks created.
    package let creator: Int?
    /// When it was created.
    package let instant: Duration
    /// The address of the function that it runs.
    let code: UInt
    /// Whether it runs a block of the queue that its name tells.
    package var isBlock = false

    /// The function that it runs, such as `closure #1 in Cart.pay(card:)`, which shows where the task was
    /// created. Nil if the program has no symbols.
    package var function: CodeFrame? { CodeFrame.ofUser(at: [code]).first }

    package init(number: Int, name: String?, creator: Int?, instant: Duration, code: UInt) {
      self.number = number
      self.name = name
      self.creator = creator
      self.instant = instant
      self.code = code
    }
  }

  /// The kind of a step.
  package enum Kind: Sendable, Hashable {
    /// A task ran up to its next suspension.
    case task
    /// An actor ran a task, and then the tasks that waited for the actor, in the order in which they came.
    case actor
    /// A sleep ended; its task can run from now on.
    case alarm
  }

  /// A job that could run.
  package struct Candidate: Sendable, Hashable {
    package let kind: Kind
    /// The job's task, the task that the actor would run first, or the task that slept; nil if unknown.
    package let task: Int?

    package init(kind: Kind, task: Int?) {
      self.kind = kind
      self.task = task
    }
  }

  /// An effect of a step.
  package enum Effect: Sendable, Hashable {
    case made(Int)
    /// The task can run again. Another task resumed it, or it moved to another executor itself, for example
    /// when it left an actor. No task is current while one moves or ends, so `by` is nil then.
    case woke(Int, by: Int?)
    /// A task, or code outside tasks, has called `cancel()` of the task.
    case cancelled(Int, by: Int?)
    case fellAsleep(Int, until: Duration)
    /// The task's function has returned, or has thrown an error.
    case ended(Int, byError: Bool)
  }

  /// One step.
  package struct Step: Sendable {
    /// The virtual time of the step.
    package let instant: Duration
    /// The jobs that could run, in the order in which they became able to.
    package let runnable: [Candidate]
    /// The index of the job that ran.
    package let chosen: Int
    /// The index of the job that would have run by default: one of the task that ran last, else the first.
    package let defaultIndex: Int
    /// The effects of the step, in order. In an actor's step several tasks may run in turn, so the effects may be
    /// those of several tasks.
    package var effects: [Effect] = []
    /// The functions in which the task resumed, as addresses of code.
    var frames: [UInt]
    /// The task within whose step this step was taken, and that goes on afterwards; nil if no task is held.
    package let heldTask: Int?

    package init(
      instant: Duration, runnable: [Candidate], chosen: Int, defaultIndex: Int,
      effects: [Effect] = [],
      frames: [UInt] = [], heldTask: Int? = nil
    ) {
      self.heldTask = heldTask
      self.instant = instant
      self.runnable = runnable
      self.chosen = chosen
      self.defaultIndex = defaultIndex
      self.effects = effects
      self.frames = frames
    }

    /// The job that ran.
    package var candidate: Candidate { runnable[chosen] }
    /// Whether another job could have run.
    package var isChoice: Bool { runnable.count > 1 }
    /// Whether another job would have run by default.
    package var isSwitch: Bool { chosen != defaultIndex }
    /// The functions in which the task resumed, innermost first.
    package var functions: [CodeFrame] { CodeFrame.ofUser(at: frames) }
  }

  /// How often the job that ran was not the default.
  package var switches: Int { steps.count { $0.isSwitch } }
}
