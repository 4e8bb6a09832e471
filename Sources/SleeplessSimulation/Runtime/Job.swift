import CRuntimeHooks

/// A job of the concurrency runtime: a task up to its next suspension, or work of an actor or of the
/// runtime.
struct Job {
  /// The executor or actor on which the runtime expects the job to run.
  enum Place {
    /// The simulation, as the task executor that the task prefers.
    case simulation
    /// The main actor, and so the real main executor.
    case main
    /// The main actor as well, in a real block of a queue that targets the main queue.
    case targetingMain(BlockOnMain)
    /// An actor without an executor of its own.
    case actor(ActorPointer)
    /// Nothing yet: the task was suspended in this actor, and does not yet wait for the actor again.
    case returning(to: ActorPointer)
    /// The thread that the task's job blocks: it goes on there.
    case blockedThread
    /// Any thread: the job is the runtime's own, which prefers no executor.
    case anywhere
  }

  /// The task, if the job is one: the runtime uses one object for both.
  let task: TaskPointer
  /// Flags in one byte. With a property for each, a job in debug took 1.65 times as long (`Benchmarks/simulation`).
  private var flags: UInt8
  private(set) var place: Place

  /// Whether the job is a task's, and not an actor's or the runtime's own.
  @_transparent
  var isTask: Bool { flags & 1 != 0 }
  /// Whether the job retains its actor until it has run.
  @_transparent
  var retainsActor: Bool { flags & 2 != 0 }
  /// Whether the job waits for those that came to the main actor before it.
  @_transparent
  private var isInLineForMainActor: Bool { flags & 4 != 0 }

  @_transparent
  init(_ job: UnownedJob, place: Place) {
    task = unsafeBitCast(job, to: TaskPointer.self)
    flags = sleepless_is_task(task.address) ? 1 : 0
    self.place = place
  }

  /// The same job in a block of a queue that targets the main queue.
  init(_ job: Job, in block: BlockOnMain) {
    self = job
    place = .targetingMain(block)
  }

  /// The same job of the main actor. It waits for those that came there before it.
  init(inLineForMainActor job: Job) {
    self = job
    flags |= 4
  }

  /// The rest of a job that blocks its thread.
  init(goingOnIn task: TaskPointer) {
    self.task = task
    flags = 1
    place = .blockedThread
  }

  /// The same job in another place, whose actor it retains.
  @_transparent
  init(_ job: Job, retainingActorIn place: Place) {
    self = job
    self.place = place
    flags |= 2
  }

  @_transparent
  var job: UnownedJob { unsafeBitCast(task, to: UnownedJob.self) }

  /// The actor that the job has to run on.
  @_transparent
  var actor: ActorPointer? { if case .actor(let actor) = place { actor } else { nil } }

  /// The actor at which the job waits for those that came before it.
  @_transparent
  var actorWithLine: ActorPointer? {
    if isInLineForMainActor { return .main }
    return actor
  }

  /// Whether the job has to run on the main actor.
  @_transparent
  var isOnMain: Bool {
    switch place {
    case .main, .targetingMain: true
    default: false
    }
  }

  /// The block in which the job has to run on the main actor.
  var blockOnMain: BlockOnMain? {
    if case .targetingMain(let block) = place { block } else { nil }
  }
}

/// The address of an actor, which the jobs that wait for the actor keep alive.
///
/// It is stored so that it does not look like a pointer: a search of memory for references to the actor
/// should find the code that retains it, not the simulation.
struct ActorPointer: @unchecked Sendable {
  // Unchecked for the reason given at `TaskPointer`. The address is moved to a place without memory. A
  // conversion to a number and back took 7 to 18 percent of the time of a simulation in a debug build.
  private let moved: UnsafeRawPointer

  @_transparent
  init(_ address: UnsafeRawPointer) { moved = address.advanced(by: 1 << 60) }

  @_transparent
  var address: UnsafeRawPointer { moved.advanced(by: -1 << 60) }

  static let main = ActorPointer(sleepless_executor.main.identity!)
}

/// The address of a task. No other task has it until this one has ended.
struct TaskPointer: Hashable, @unchecked Sendable {
  // Unchecked because a pointer is only a number until its memory is read.
  let address: UnsafeMutableRawPointer

  init(_ address: UnsafeMutableRawPointer) { self.address = address }

  // Compares numbers, because pointers are compared by generic code, which is slow in a debug build.
  @_transparent
  static func == (one: Self, other: Self) -> Bool {
    UInt(bitPattern: one.address) == UInt(bitPattern: other.address)
  }

  /// The task that this thread runs.
  static var current: TaskPointer? { sleepless_current_task().map(TaskPointer.init) }
}
