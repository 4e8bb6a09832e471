import Sleepless
import VirtualTime

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// Whether a task's job may block its thread now: it is the job that the simulation runs.
  func canBlock(_ task: TaskPointer) -> Bool {
    switch phase {
    case .running, .ending: !missesTasks && running.isOf(task)
    case .closed, .dead: false
    }
  }

  /// Notes that the running job blocks its thread, and decides who gets the turn; nil if its task runs no job any more.
  mutating func block(_ thread: BlockedThread) -> BlockedThreads.Successor? {
    guard canBlock(thread.task) else { return nil }
    if blocked.all.count + 1 == BlockedThreads.tooMany {
      blocked.wereTooMany = true
      giveUp(with: .tooManyBlockedThreads)
    }
    // No step follows: each could block one more thread.
    if case .ending = phase, blocked.isNextTooMany { phase = .ending(stepLimit: steps) }
    if thread.runsMainActor {
      // A run loop that has returned in this job kept the main actor since.
      for job in blocked.freePlaces(of: thread.task) { append(job, isFromOutside: false) }
    }
    blocked.add(thread, running, inActor)
    running = RunningJob()
    // The inner task is on an executor of the program's, and time waits for those. It does not run there now.
    if let entry = thread.innerTask.flatMap({ tasks.find($0) }) { tasks.moveHere(entry) }
    inActor = JobInActor()
    if thread.isReady { makeReady(Job(goingOnIn: thread.task)) }
    return blocked.successor(of: thread, isTaskHeld: heldTask != nil)
  }

  /// What lets a thread go on that was blocked.
  enum GoingOn {
    /// Its turn will come. The executor resumes the driver, if that waited for a job.
    case later(resuming: UnsafeContinuation<Void, Never>?)
    /// The simulation's `phase` is `closed`: the thread goes on at once, outside.
    case atOnce
    /// The simulation's `phase` is `dead`, and the thread must not go on; or the thread is about to go on anyway.
    case no
  }

  /// Makes a thread able to go on.
  mutating func letGoOn(_ thread: BlockedThread, isFromOutside: Bool) -> GoingOn {
    guard !thread.isReady else { return .no }
    thread.isReady = true
    // Before it blocks, `block` sees that it is ready.
    guard blocked[thread.task] === thread else { return .no }
    switch phase {
    case .running, .ending: break
    case .closed:
      _ = blocked.remove(thread)
      return .atOnce
    case .dead: return .no
    }
    if isFromOutside { addResumption(of: thread.task) }
    makeReady(Job(goingOnIn: thread.task), isFromOutside: isFromOutside)
    return .later(resuming: driver.takeContinuation())
  }

  /// Keeps the jobs of the main actor waiting while code of a test blocks the main thread outside all jobs.
  mutating func holdMainActor(for holder: TaskPointer) { blocked.takeMainPlace(for: holder) }

  mutating func releaseMainActor(for holder: TaskPointer) {
    for job in blocked.freeMainPlace(of: holder) { append(job, isFromOutside: false) }
  }

  /// Gives jobs of the main actor to the thread that runs the main run loop; nil if there is none.
  mutating func giveWork(from first: Job?) -> (BlockedThread, BlockedThread.MainActorWork)? {
    guard !phase.isOver, let thread = blocked.threadOfMainRunLoop else { return nil }
    let work = BlockedThread.MainActorWork(first)
    thread.work = work
    return (thread, work)
  }

  /// Takes the jobs that a thread was given; nil if it is to go on.
  func takeWork(of thread: BlockedThread) -> BlockedThread.MainActorWork? {
    defer { thread.work = nil }
    return thread.work
  }

  /// Gives the turn to the thread of a task that goes on. Returns the thread, and the signal for which the calling
  /// driver waits. The signal is nil if the calling driver is a substitute; it then ends.
  mutating func giveTurn(to task: TaskPointer) -> (BlockedThread, ThreadSignal?)? {
    guard !phase.isOver, let thread = blocked[task] else { return nil }
    (running, inActor) = blocked.remove(thread)
    if let entry = thread.innerTask.flatMap({ tasks.find($0) }) { tasks.moveElsewhere(entry) }
    return (thread, blocked.giveTurn(to: thread))
  }
}
