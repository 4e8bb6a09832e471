import Sleepless
import VirtualTime

/// A thread that a job of a simulation blocks: it sleeps, or waits for a semaphore or a group.
///
/// The job is not over, so no driver can take the thread back. Another driver goes on meanwhile.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class BlockedThread: @unchecked Sendable {
  // Unchecked: the variables are used under the lock of the simulation's state, except `take` and `hasTaken`: these are
  // used under the lock of the list of waiting threads, and by the thread itself when it has left that list.

  let executor: SimulationExecutor
  let task: TaskPointer
  /// The task whose code blocks the thread, if it is another one: an executor of the program's has run its job within
  /// the job of `task`.
  let innerTask: TaskPointer?
  /// The object that the thread waits for, as lists of tasks show it; nil if it sleeps.
  let reason: String?
  /// When it goes on in any case; nil if only the object lets it go on.
  let deadline: Instant?
  /// The calls on the thread's stack, innermost first, as addresses of code.
  fileprivate let stack: [UInt]
  /// The thread waits here for its turn.
  let turn = ThreadSignal()

  /// Whether it runs the main run loop, and so the jobs of the main actor while it is blocked.
  var runsMainActor = false
  /// The run of a run loop that blocks it.
  var runLoopRun: RunLoopRun?
  /// The jobs that it is to run now.
  var work: MainActorWork?
  /// The jobs of threads that can go on once this one's job has ended: their calls are on its stack, below.
  fileprivate var outerJobs: [Job] = []

  /// Whether it can go on.
  var isReady = false
  /// Whether it goes on when the simulation ends, because it waits for time or is ready.
  var goesOnAtEnd: Bool { deadline != nil || isReady }
  /// Whether it can go on because what it waits for has come: a signal, or a group that was empty.
  var isMet = false
  /// Takes what it waits for; see `SimulationExecutor.Awaited`.
  var take: (() -> Bool)?
  /// Whether a driver has taken that for it.
  private(set) var hasTaken = false
  fileprivate var job = RunningJob()
  fileprivate var inActor = JobInActor()
  /// Whether its task may be unfinished when the body ends.
  fileprivate(set) var isBackground = false
  /// Whether the simulation's own driver is on the thread's stack.
  fileprivate(set) var holdsDriver = false

  init(
    _ task: TaskPointer, running innerTask: TaskPointer?, of executor: SimulationExecutor,
    because reason: String?, until deadline: Instant?, stack: [UInt]
  ) {
    self.executor = executor
    self.task = task
    self.innerTask = innerTask
    self.reason = reason
    self.deadline = deadline
    self.stack = stack
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension BlockedThread {
  /// Jobs that a thread runs while it is blocked in the main run loop.
  final class MainActorWork: @unchecked Sendable {
    // Unchecked: the thread that is given the jobs sets the reason before it sends the signal.

    let first: Job?
    private(set) var reason = SimulationExecutor.StopReason.gaveTurnAway
    let hasEnded = ThreadSignal()

    init(_ first: Job?) { self.first = first }

    func end(_ reason: SimulationExecutor.StopReason) { self.reason = reason }
  }

  /// Takes what it waits for, before it goes on; false if that has not come.
  func takeInAdvance() -> Bool {
    hasTaken = take?() ?? false
    return hasTaken
  }

  /// The calls on its stack, innermost first, without those of the system's libraries.
  var frames: [UInt] {
    stack.filter { ImageLocation(of: UnsafeRawPointer(bitPattern: $0))?.isOfSystem != true }
  }

  /// What its task waits for.
  var state: Simulation.TaskReport.State {
    switch (reason, deadline) {
    case (let reason?, let deadline?):
      .waiting("\(reason) until \(deadline.duration.shortDescription)")
    case (let reason?, nil): .waiting(reason)
    case (nil, let deadline): .sleeping(until: deadline?.duration ?? .zero)
    }
  }
}

/// The threads that jobs of a simulation block, and the driver that goes on instead.
///
/// Each simulation has its own driver; in a hosted simulation that is the thread which had the turn first. While a job
/// blocks that driver's thread, a second, temporary driver (the substitute) runs the jobs. It ends when it gives the
/// turn to a thread that was blocked. One thread at a time has the turn: a driver, or the thread of a job that was
/// blocked and goes on.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct BlockedThreads {
  /// What the simulation's own driver does.
  enum Driver {
    case drives
    /// A job blocks its thread.
    case isBlocked
    /// It waits for the signal of a thread that was blocked, and that it has let go on.
    case waitsForTurn(ThreadSignal)
  }

  /// A place where no other job of the simulation can run: the job there blocks its thread.
  private struct Place {
    let task: TaskPointer
    let actor: ActorPointer?
    let isMain: Bool
    /// The jobs that wait for the place.
    var waiting: [Job] = []
  }

  /// With so many the simulation is given up, before the system has no more threads. Dispatch itself runs 64 blocks at
  /// a time.
  static let tooMany = 512
  /// Whether there have been so many. From then on sleeps return at once.
  var wereTooMany = false
  /// Whether one more would be too many.
  var isNextTooMany: Bool { all.count + 1 >= Self.tooMany }

  private(set) var all: [BlockedThread] = []
  /// The thread that runs the main run loop: the latest one if there are several, which are on one stack.
  var threadOfMainRunLoop: BlockedThread? { all.last { $0.runsMainActor } }
  /// The places of jobs that block their threads, or have gone on since.
  private var places: [Place] = []
  // Each step asks for these two, and `isEmpty` of an array is generic code.
  private(set) var isAnyPlace = false
  private(set) var driverWaitsForTurn = false
  private(set) var driver = Driver.drives {
    didSet {
      if case .waitsForTurn = driver {
        driverWaitsForTurn = true
      } else {
        driverWaitsForTurn = false
      }
    }
  }

  subscript(task: TaskPointer) -> BlockedThread? { all.first { $0.task == task } }

  /// Whether a job, or code of a test, keeps other jobs from the main actor, and would not go on by itself at the
  /// simulation's end; see `goesOnAtEnd`.
  var keepsMainActor: Bool {
    if let thread = threadOfMainRunLoop, !thread.goesOnAtEnd { return true }
    return places.contains { $0.isMain && self[$0.task]?.goesOnAtEnd != true }
  }

  /// How many of them wait for time in background tasks.
  var backgroundSleeps: Int { all.count { $0.deadline != nil && !$0.isReady && $0.isBackground } }

  // MARK: From blocking to going on

  /// Who goes on when a job has blocked its thread.
  enum Successor {
    /// A new substitute.
    case substitute
    /// The simulation's own driver, which waits for this signal.
    case driver(ThreadSignal)
    /// The task within whose step the job runs, and that is held until the job ends.
    case heldTask
  }

  mutating func add(_ thread: BlockedThread, _ job: RunningJob, _ inActor: JobInActor) {
    all.append(thread)
    thread.isBackground = job.entry?.pointee.isBackground ?? false
    thread.job = job
    thread.inActor = inActor
    if thread.runsMainActor { isAnyPlace = true }
    let actor = inActor.job?.actor
    guard actor != nil || job.isOnMain, !thread.runsMainActor else { return }
    // A job that has blocked its thread before has its place until it ends.
    let hasPlace = places.contains {
      $0.task == thread.task && $0.actor?.address == actor?.address && $0.isMain == job.isOnMain
    }
    if !hasPlace {
      places.append(Place(task: thread.task, actor: actor, isMain: job.isOnMain))
    }
    isAnyPlace = true
  }

  /// Decides who gets the turn from a thread that is blocked now.
  mutating func successor(of thread: BlockedThread, isTaskHeld: Bool) -> Successor {
    if isTaskHeld { return .heldTask }
    switch driver {
    case .drives:
      thread.holdsDriver = true
      driver = .isBlocked
      return .substitute
    case .isBlocked: return .substitute
    case .waitsForTurn(let signal):
      driver = .drives
      return .driver(signal)
    }
  }

  /// Removes a thread that goes on. Returns its job, and the actor's job that it is.
  mutating func remove(_ thread: BlockedThread) -> (RunningJob, JobInActor) {
    all.removeAll { $0 === thread }
    if thread.runsMainActor {
      // Until its job ends nothing else runs on the main actor. Then an outer call may return.
      places.append(
        Place(task: thread.task, actor: nil, isMain: true, waiting: thread.outerJobs))
      thread.outerJobs = []
      isAnyPlace = true
    }
    return (thread.job, thread.inActor)
  }

  /// Takes the threads that wait for time, or can go on.
  mutating func takeTimed() -> [BlockedThread] {
    let timed = all.filter(\.goesOnAtEnd)
    all.removeAll(where: \.goesOnAtEnd)
    for thread in timed { thread.isReady = true }
    return timed
  }

  /// Gives the turn to a thread that goes on. Returns the signal for which the calling driver waits, or nil if that
  /// is a substitute, which ends.
  mutating func giveTurn(to thread: BlockedThread) -> ThreadSignal? {
    guard case .drives = driver else {
      if thread.holdsDriver { driver = .drives }
      return nil
    }
    let signal = ThreadSignal()
    driver = .waitsForTurn(signal)
    return signal
  }

  /// Gives the turn back to the simulation's own driver. Returns the signal for which that waits; nil if it does not
  /// wait for its turn.
  mutating func takeBackTurn() -> ThreadSignal? {
    guard case .waitsForTurn(let signal) = driver else { return nil }
    driver = .drives
    return signal
  }

  // MARK: Places

  /// Whether a job that blocks its thread, or has gone on since, is in an actor.
  func isOccupied(_ actor: ActorPointer) -> Bool {
    places.contains { $0.actor?.address == actor.address }
  }

  /// Takes the main actor's place for code of a test that blocks the main thread outside all jobs.
  mutating func takeMainPlace(for holder: TaskPointer) {
    places.append(Place(task: holder, actor: nil, isMain: true))
    isAnyPlace = true
  }

  /// Keeps a job that cannot run because another job blocks the thread in its place; false if it can run.
  mutating func holdsBack(_ job: Job) -> Bool {
    if case .blockedThread = job.place { return holdsBack(threadOf: job) }
    let index = places.firstIndex {
      if let actor = job.actor { return $0.actor?.address == actor.address }
      return job.isOnMain && $0.isMain
    }
    guard let index else { return false }
    places[index].waiting.append(job)
    return true
  }

  /// Keeps a job of the main actor that comes while others wait there, so that it runs after them.
  mutating func holdsBackBehindOthers(_ job: Job) -> Bool {
    guard job.isOnMain,
      let index = places.firstIndex(where: { $0.isMain && $0.waiting.contains(where: \.isOnMain) })
    else { return false }
    places[index].waiting.append(job)
    return true
  }

  /// Keeps a thread that could go on. One that runs the main run loop cannot return while a call that it has made in
  /// there is blocked.
  private mutating func holdsBack(threadOf job: Job) -> Bool {
    guard let thread = self[job.task], thread.runsMainActor else { return false }
    if let index = places.firstIndex(where: { $0.isMain && $0.task != job.task }) {
      places[index].waiting.append(job)
      return true
    }
    guard let inner = threadOfMainRunLoop, inner !== thread else { return false }
    inner.outerJobs.append(job)
    return true
  }

  /// Frees the place that `takeMainPlace(for:)` has taken last. Returns the jobs that waited for it.
  mutating func freeMainPlace(of holder: TaskPointer) -> [Job] {
    guard let index = places.lastIndex(where: { $0.task == holder }) else { return [] }
    let jobs = places.remove(at: index).waiting
    isAnyPlace = !places.isEmpty || threadOfMainRunLoop != nil
    return jobs
  }

  /// Frees the places of a task's job, which has ended. Returns the jobs that waited for them.
  mutating func freePlaces(of task: TaskPointer) -> [Job] {
    let jobs = places.filter { $0.task == task }.flatMap(\.waiting)
    places.removeAll { $0.task == task }
    isAnyPlace = !places.isEmpty || threadOfMainRunLoop != nil
    return jobs
  }

  /// Takes the jobs that wait for places.
  mutating func takeJobs() -> [Job] {
    defer { (places, isAnyPlace) = ([], false) }
    return places.flatMap(\.waiting)
  }
}
