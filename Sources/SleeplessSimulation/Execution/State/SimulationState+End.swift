@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// Begins to end the simulation, and returns the tasks to cancel; nil if it is over already, because its
  /// driver was blocked for too long.
  mutating func beginEnding() -> [TaskPointer]? {
    guard case .running = phase else { return nil }
    phase = .ending(stepLimit: steps + 100_000)
    controller?.beginEnding()
    return tasks.unfinished.map(\.task)
  }

  /// The tasks and jobs that are left when a simulation is closed.
  struct Leftovers {
    let tasks: [Simulation.TaskReport]
    /// The jobs to hand to the executors that would have run them without the simulation.
    let jobs: [Job]
    /// The threads of blocked jobs that go on outside.
    let threads: [BlockedThread]
    /// The blocks to hand to the real queues, unless the simulation is dead.
    let queueWork: [QueueWork]
    /// The blocks whose deadline is never reached.
    let neverDue: [QueueWork]
    /// The tasks whose jobs the main executor need not recognise any more.
    let mainTasks: [TaskPointer]
  }

  /// Closes the simulation; returns nil if nothing is left. If its driver was blocked for too long, this is called
  /// again when the driver returns.
  mutating func close() -> Leftovers? {
    // What is left would use objects that may have been freed, or block too many threads of the process's own pools.
    if !phase.isDead {
      phase = options.isBodyLent && !bodyHasEnded || blocked.isNextTooMany ? .dead : .closed
    }
    controller = nil
    if tasks.isEmpty, isWithoutJobs, !hasUsedQueues, blocked.all.isEmpty { return nil }
    // The main executor must recognise the tasks of a dead simulation for ever, or it would run them.
    let mainTasks = phase.isDead ? [] : tasks.unfinished.filter(\.isOnMain).map(\.task)
    let jobs = phase.isDead ? [] : takeAllJobs()
    let tasks = tasksLeft ?? suspensions.map(\.report)
    tasksLeft = tasks
    let threads = phase.isDead ? [] : blocked.takeTimed()
    let queueWork = dispatchQueues.takeAll()
    return Leftovers(
      tasks: tasks, jobs: jobs, threads: threads, queueWork: queueWork.sentOn,
      neverDue: queueWork.neverDue, mainTasks: mainTasks)
  }

  private var isWithoutJobs: Bool {
    ready.isEmpty && drainJobs.count == 0 && dueAlarms.count == 0 && actorWaitQueues.isEmpty
      && !blocked.isAnyPlace
  }

  /// Takes all jobs that can run or wait for an actor.
  private mutating func takeAllJobs() -> [Job] {
    if isWithoutJobs { return [] }
    // A job that is held back comes before those that wait behind it.
    return ready.takeAll() + drainJobs.takeAll() + dueAlarms.takeAll() + blocked.takeJobs()
      + actorWaitQueues.takeAll()
  }
}
