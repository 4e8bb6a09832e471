import CRuntimeHooks

/// A piece of work as the concurrency runtime hands it out: a task up to its next suspension, or what
/// an actor has to do.
struct Job {
  /// What it has to run on, so that the runtime finds it where it believes it to be.
  enum Place {
    /// The simulation, as the task executor that its task prefers.
    case simulation
    /// The main actor, and so the real main executor.
    case main
    /// An actor without an executor of its own, alone there.
    case actor(ActorPointer)
    /// Nothing yet: the task was suspended in an actor and has to come back there before it goes on.
    case wayBack(to: ActorPointer)
    /// Nothing in particular: the runtime's own jobs, which prefer no executor.
    case anywhere
  }

  /// The task, if the job is one: the runtime uses one object for both.
  let task: TaskPointer
  /// Whether it is a task, rather than what an actor or the runtime has to do.
  let isTask: Bool
  private(set) var place: Place
  /// Whether it keeps its actor alive until it runs.
  private(set) var holdsActor = false

  @_transparent
  init(_ job: UnownedJob, place: Place) {
    task = unsafeBitCast(job, to: TaskPointer.self)
    isTask = sleepless_is_task(task.address)
    self.place = place
  }

  /// The same, once the task is to go on in an actor where it was, or on its way back there.
  @_transparent
  init(_ job: Job, inHeldActorAt place: Place) {
    self = job
    self.place = place
    holdsActor = true
  }

  @_transparent
  var job: UnownedJob { unsafeBitCast(task, to: UnownedJob.self) }

  /// The actor that it has to run on.
  @_transparent
  var actor: ActorPointer? { if case .actor(let actor) = place { actor } else { nil } }

  /// Whether it has to run on the main actor.
  @_transparent
  var isOnMain: Bool { if case .main = place { true } else { false } }
}

/// Where an actor is, which whoever waits for it keeps alive.
///
/// It does not look like a pointer in memory: whoever searches that for what holds the actor is to find
/// the one who does.
struct ActorPointer: @unchecked Sendable {
  // Unchecked as below. It is moved to where nothing is, not turned into another number: to make a
  // pointer of a number took 7 to 18 percent of a simulation in a debug build.
  private let moved: UnsafeRawPointer

  @_transparent
  init(_ address: UnsafeRawPointer) { moved = address.advanced(by: 1 << 60) }

  @_transparent
  var address: UnsafeRawPointer { moved.advanced(by: -1 << 60) }
}

/// Where the runtime keeps a task; nobody else is there until the task has ended.
struct TaskPointer: Hashable, @unchecked Sendable {
  // Unchecked because a pointer is only a number until somebody reads what is there.
  let address: UnsafeMutableRawPointer

  init(_ address: UnsafeMutableRawPointer) { self.address = address }

  // Pointers are compared by generic code, which a debug build takes long for.
  @_transparent
  static func == (one: Self, other: Self) -> Bool {
    UInt(bitPattern: one.address) == UInt(bitPattern: other.address)
  }

  /// The task that this thread runs.
  static var current: TaskPointer? { sleepless_current_task().map(TaskPointer.init) }
}
