import CRuntimeHooks
import Sleepless
import VirtualTime

// How tasks and their jobs come into a simulation. A task is added when it is created. Each of its jobs
// is admitted when the task can run: to the queue of the actor that it needs, if other jobs wait for that
// actor, or else to the jobs that can run now.

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// What the executor does with a job that has arrived, after unlocking.
  enum Admission {
    /// The job is not the simulation's.
    case notOwn
    /// The job is in a queue now. The executor cancels the alarm of the sleep that the job has ended, and
    /// resumes the driver that waited for a job.
    case kept(cancelling: WorkToken?, resuming: UnsafeContinuation<Void, Never>?)
    /// Hands the job to the executor that would have run it without the simulation, which is closed.
    case sentOn
    /// Nothing: the simulation is dead, and the job must not run.
    case dropped
  }

  // MARK: Tasks

  /// Adds a task that is being created; `startsHere` if its first job comes here too. `initializer` is code of the
  /// variable's initializer that creates it, or 0.
  mutating func addTask(
    _ task: TaskPointer, name: String?, code: UInt, creator: TaskTable.Creator, initializer: UInt,
    startsHere: Bool, isBlock: Bool = false
  ) {
    if let controller {
      controller.made(
        tasks.madeCount, by: creator.number, name: name, code: code, isBlock: isBlock,
        isInStep: isInStep, at: now)
    }
    let entry = tasks.add(task, name: name, isBackground: creator.isBackground, at: now)
    entry.pointee.initializer = initializer
    entry.pointee.isBlock = isBlock
    if !startsHere, !missesTasks { tasks.moveElsewhere(entry) }
  }

  /// The creator that code is which a task runs, or no task.
  mutating func creator(in task: TaskPointer?) -> TaskTable.Creator {
    guard let task, let entry = entry(of: task) else {
      return TaskTable.Creator(number: nil, isBackground: createsBackgroundTasks)
    }
    return TaskTable.Creator(
      number: entry.pointee.number,
      isBackground: createsBackgroundTasks || entry.pointee.isBackground)
  }

  /// Removes a task that has ended, and returns its entry.
  mutating func removeTask(_ task: TaskPointer, byError: Bool) -> TaskTable.Entry? {
    running.taskHasEnded(task)
    guard let entry = tasks.remove(task) else { return nil }
    // A task does not end while it sleeps. So the sleep was cancelled, and a default actor ended it without
    // a job.
    if let sleep = entry.sleep { makeReady(alarm: sleep.alarm, of: entry.number) }
    controller?.note(.ended(entry.number, byError: byError))
    return entry
  }

  /// Notes that a task, or code outside tasks, cancels another task.
  func noteCancellation(of task: TaskPointer, by current: TaskPointer?) {
    guard let controller, controller.recordsTrace, let entry = tasks.find(task) else { return }
    let canceller = current.flatMap { tasks.find($0)?.pointee.number }
    controller.note(.cancelled(entry.pointee.number, by: canceller))
  }

  /// Sets whether a task, or the code outside tasks, creates background tasks. Returns the earlier setting.
  mutating func setBackground(_ isBackground: Bool, _ task: TaskPointer?) -> Bool {
    guard let entry = task.flatMap({ tasks.find($0) }) else {
      defer { createsBackgroundTasks = isBackground }
      return createsBackgroundTasks
    }
    defer { entry.pointee.isBackground = isBackground }
    return entry.pointee.isBackground
  }

  // MARK: Jobs

  /// The entry of a task; nil if the task is not the simulation's. Most jobs that arrive are the running task's, and
  /// its entry needs no search.
  @_transparent
  private mutating func entry(of task: TaskPointer) -> TaskTable.EntryPointer? {
    if let entry = running.entry, entry.pointee.task == task { return entry }
    return tasks.find(task)
  }

  /// Whether there is a job to run at once, or a wait to end.
  var hasJobs: Bool { !ready.isEmpty || dueAlarms.count > 0 || waits.isAnyDecided }

  /// Admits a job that can run now.
  ///
  /// `onlyIfOwn` refuses a job whose task is not the simulation's; `isExternal` says that the
  /// simulation's driver does not run on this thread.
  @_transparent
  mutating func admit(_ job: Job, onlyIfOwn: Bool, isExternal: Bool) -> Admission {
    let entry = job.isTask ? entry(of: job.task) : nil
    if onlyIfOwn, job.isTask, entry == nil { return .notOwn }
    switch phase {
    case .running, .ending: break
    case .closed: return .sentOn
    case .dead: return .dropped
    }
    let job = placed(job, of: entry, isExternal: isExternal)
    if isExternal { addResumption(of: job.task) }
    makeReady(job, isFromOutside: isExternal)
    var alarm: WorkToken?
    if let entry, let sleep = tasks.endSleep(of: entry) {
      makeReady(alarm: sleep.alarm, of: entry.pointee.number)
      alarm = sleep.token
    }
    return .kept(cancelling: alarm, resuming: driver.takeContinuation())
  }

  /// Notes that code outside has let a block run.
  mutating func addBlockFromOutside() {
    addResumption(of: nil)
    controller?.noteWorkOutside()
  }

  /// Counts what code outside has let go on, if that is unexpected: a task, or else a block.
  mutating func addResumption(of task: TaskPointer?) {
    guard let task else {
      if outside.calls == 0 { outside.addResumption(of: nil, at: now) }
      return
    }
    guard outside.isUnexpectedResumption(of: task) else { return }
    let suspension = outside.resumptions.wantsTasks ? suspension(of: task) : nil
    outside.addResumption(of: suspension, at: now)
  }

  /// Sends a task that was suspended in an actor back there first, as a job of its own.
  ///
  /// Otherwise the task would enter the actor at once, sometimes through functions of the runtime that no
  /// hook sees. With this job, other tasks may enter the actor before it.
  @_transparent
  private mutating func placed(
    _ job: Job, of entry: TaskTable.EntryPointer?, isExternal: Bool
  ) -> Job {
    guard job.isTask else { return inLine(job) }
    if let entry { tasks.moveHere(entry) }
    if running.isOf(job.task) { running.isReadyAgain = true }
    if let current = inActor.job, job.task == current.task, !isExternal {
      // If no code of the program left the actor, a function of the runtime did. It returns to the actor.
      if let entry, case .simulation = job.place, !sleepless_has_left_actor() {
        tasks.setResumptionActor(of: entry, current.actor!)
      }
      inActor.taskHasLeft = true
    }
    guard let entry, let actor = tasks.takeResumptionActor(of: entry) else {
      guard case .main = job.place, let entry else { return inLine(job) }
      if let block = entry.pointee.blockOnMain { return Job(job, in: block) }
      return entry.pointee.isOutsideLine ? job : inLine(job)
    }
    guard case .simulation = job.place else {
      sleepless_release(actor.address)
      return job
    }
    return Job(job, retainingActorIn: .returning(to: actor))
  }

  /// Gives a job of the main actor its place in the line there. Where no order is chosen it needs none, as all jobs run
  /// in the order in which they came.
  @_transparent
  private func inLine(_ job: Job) -> Job {
    guard case .main = job.place, isOrderChosen else { return job }
    return Job(inLineForMainActor: job)
  }

  /// Queues a job that can run now.
  @_transparent
  mutating func makeReady(_ job: Job, isFromOutside: Bool = false) {
    if !missesTasks, !job.isTask, sleepless_is_drain_job(job.task.address) {
      return drainJobs.append(job)
    }
    if isExplored, !isFromOutside { tellController(waking: job) }
    if let actor = job.actorWithLine, !actorWaitQueues.enqueue(job, for: actor) { return }
    if blocked.isAnyPlace, !isOrderChosen, blocked.holdsBackBehindOthers(job) { return }
    append(job, isFromOutside: isFromOutside)
  }

  /// Adds a job to those that can run, once its actor has no other job before it.
  @_transparent
  mutating func append(_ job: Job, isFromOutside: Bool) {
    ready.append(job)
    if isExplored { tellController(of: job, isFromOutside: isFromOutside) }
  }

  /// Notes that the job in an actor has returned. If its task was suspended in the actor, the task will
  /// resume there. A task that has moved to another executor or has ended was not suspended in the actor.
  @_transparent
  mutating func endJobInActor() {
    if !inActor.taskHasLeft, let entry = running.entry, let actor = inActor.job!.actor,
      !sleepless_can_run(entry.pointee.task.address)
    {
      tasks.setResumptionActor(of: entry, actor)
    }
    inActor.end()
  }

  // MARK: Sleeps

  /// Notes that a task sleeps until the timeline runs the sleep's alarm.
  mutating func beginSleep(_ sleep: TaskTable.Sleep, of task: TaskPointer, at now: Instant) {
    guard let entry = tasks.find(task) else { return }
    tasks.fallAsleep(entry, sleep, at: now)
    controller?.note(.fellAsleep(entry.pointee.number, until: sleep.until.duration))
  }

  /// Ends a task's sleep, whose deadline has been reached.
  mutating func endSleep(of task: TaskPointer?, _ alarm: UnownedJob) {
    let entry = task.flatMap { tasks.find($0) }
    if let entry { _ = tasks.endSleep(of: entry) }
    makeReady(alarm: alarm, of: entry?.pointee.number)
  }

  /// Admits the job that ends a sleep of zero.
  mutating func admit(dueAlarm alarm: UnownedJob, of sleeper: TaskPointer?) -> Admission {
    switch phase {
    case .running, .ending: break
    case .closed: return .sentOn
    case .dead: return .dropped
    }
    dueAlarms.add(alarm, of: sleeper)
    return .kept(cancelling: nil, resuming: driver.takeContinuation())
  }

  /// Queues the job that ends a sleep.
  private mutating func makeReady(alarm: UnownedJob, of sleeper: Int?) {
    ready.append(Job(alarm, place: .anywhere))
    controller?.admit(.alarm, sleeper, isFromOutside: false)
  }

  // MARK: The controller of an exploration

  @inline(never)
  private mutating func tellController(of job: Job, isFromOutside: Bool) {
    let task = number(of: job)
    controller!.admit(task == nil ? .actor : .task, task, isFromOutside: isFromOutside)
  }

  @inline(never)
  private mutating func tellController(waking job: Job) {
    guard controller!.recordsTrace, isInStep, let task = number(of: job) else { return }
    let waker = TaskPointer.current.flatMap { tasks.find($0)?.pointee.number }
    controller!.note(.woke(task, by: waker))
  }

  /// Whether a job runs. What is made or woken meanwhile is an effect of its step; otherwise it is one of time.
  private var isInStep: Bool { running.task != nil }

  private mutating func number(of job: Job) -> Int? {
    guard job.isTask else { return nil }
    return tasks.find(job.task)?.pointee.number
      ?? (missesTasks ? controller!.number(ofUnregistered: job.task, at: now) : nil)
  }
}
