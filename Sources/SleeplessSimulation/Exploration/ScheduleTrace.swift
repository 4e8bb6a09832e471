import Sleepless

/// One schedule as it was run: which task took which step, when, and who could have gone instead.
///
/// Everything a picture of the schedule needs is here as numbers; names of functions are looked up
/// when asked for, which takes about a millisecond.
package struct ScheduleTrace: Sendable {
  /// The tasks in the order of their making; a task's number is its place. The body is 0.
  package var tasks: [Participant] = []
  /// The steps in the order in which they were taken.
  package var steps: [Step] = []

  package init() {}

  /// A task that took part.
  package struct Participant: Sendable {
    /// Counted from 0 in the order of making; 0 is the body.
    package let number: Int
    /// The name that the code gave it, if it did.
    package let name: String?
    /// The task that made it; nil for the body, and for one made by code that is no task.
    package let creator: Int?
    /// When it was made.
    package let instant: Duration
    /// The address of the function that it runs.
    let code: UInt

    /// The function it runs, such as `closure #1 in Cart.pay(Card)`, which says where it was made;
    /// nil where the program has no symbols.
    package var function: String? { FunctionNames.ofUser(at: [code]).first }

    package init(number: Int, name: String?, creator: Int?, instant: Duration, code: UInt) {
      self.number = number
      self.name = name
      self.creator = creator
      self.instant = instant
      self.code = code
    }
  }

  /// What a step was.
  package enum Kind: Sendable, Hashable {
    /// A task ran up to its next suspension.
    case task
    /// An actor served a task, and others that were waiting for it, in the order in which they came.
    case actor
    /// A sleep came to its end; the sleeper can run from now on.
    case alarm
  }

  /// Somebody who could run.
  package struct Candidate: Sendable, Hashable {
    package let kind: Kind
    /// The task that it is, that the actor was to serve first, or that slept; nil if unknown.
    package let task: Int?

    package init(kind: Kind, task: Int?) {
      self.kind = kind
      self.task = task
    }
  }

  /// Something that came of a step.
  package enum Effect: Sendable, Hashable {
    case made(Int)
    /// The task can run again: another lets it, or it has gone elsewhere itself, as from an actor.
    /// None is known to do it while one goes elsewhere, or ends.
    case woke(Int, by: Int?)
    case fellAsleep(Int, until: Duration)
    case ended(Int)
  }

  /// One step.
  package struct Step: Sendable {
    /// The virtual time at which it was taken.
    package let instant: Duration
    /// Who could run, in the order in which they came to be able to.
    package let runnable: [Candidate]
    /// Which of them did.
    package let chosen: Int
    /// Which of them would have run by the usual rule: who ran last goes on, else first come first
    /// served.
    package let defaultIndex: Int
    /// What came of it, in order. An actor's step serves all that wait for the actor, one after the
    /// other, and so may be several tasks' doing.
    package var effects: [Effect] = []
    /// Where the task went on, as addresses of code.
    var frames: [UInt]

    package init(
      instant: Duration, runnable: [Candidate], chosen: Int, defaultIndex: Int,
      effects: [Effect] = [],
      frames: [UInt] = []
    ) {
      self.instant = instant
      self.runnable = runnable
      self.chosen = chosen
      self.defaultIndex = defaultIndex
      self.effects = effects
      self.frames = frames
    }

    /// Who ran.
    package var candidate: Candidate { runnable[chosen] }
    /// Whether somebody else could have run.
    package var isChoice: Bool { runnable.count > 1 }
    /// Whether somebody else would have run by the usual rule.
    package var isSwitch: Bool { chosen != defaultIndex }
    /// The functions that the task went on in, innermost first.
    package var functions: [String] { FunctionNames.ofUser(at: frames) }
  }

  /// How often somebody else ran than by the usual rule.
  package var switches: Int { steps.count { $0.isSwitch } }
}
