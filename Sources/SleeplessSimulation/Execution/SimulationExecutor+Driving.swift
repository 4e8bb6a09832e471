import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// The driver: takes one job after another from the queue and runs it, until the simulation cannot go on.
///
/// It is an ordinary task outside the simulation. To run jobs of the main actor it enters the real main actor, which
/// runs one simulation at a time; for a block of a queue that targets the main queue it has the real queue call one. To
/// wait for something outside it suspends, and so blocks no thread. It blocks its own thread in two cases: while a job
/// that was blocked goes on, see `BlockedThreads`, and while the thread of the main run loop runs jobs.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Runs the simulation until it cannot go on. Returns nil if this driver is a substitute, and gives the turn away;
  /// see `BlockedThreads`.
  nonisolated func drive(from first: Job? = nil) async -> SimulationState.Ending? {
    var isOnMain = first?.isOnMain ?? false
    var job = first
    while true {
      let reason: StopReason
      if !isOnMain {
        reason = driveHere(from: job, on: host == nil ? .anyThread : .besideMainThread)
      } else if let reasonInRunLoop = driveInRunLoop(from: job) {
        reason = reasonInRunLoop
      } else {
        state.withLock { $0.driver = .waitingForMainActor }
        // A suspended queue would not call the block. So the job runs without it, sees the suspension, and waits again.
        if let job, let block = job.blockOnMain, !block.isSuspended {
          reason = await drive(job, in: block)
        } else {
          reason = await driveOnMain(from: job)
        }
      }
      job = nil
      if let host, !host.turns.isMainThreadBlocked {
        // The job that blocked the main thread has gone on, so this substitute ends.
        host.turns.passOn(reason, of: self)
        return nil
      }
      switch reason {
      case .wrongPlace(let next):
        job = next
        isOnMain = next.isOnMain
      case .jobIsOver:
        isOnMain = false
      case .waitForOtherThreads:
        await waitForOtherThreads()
      case .waitForOutside(let isExpected):
        let hasMore = await waitForOutside(isExpected: isExpected) || callDeadlockHandlers()
        guard hasMore else { return .deadlock }
      case .gaveTurnAway:
        return nil
      case .end(let ending):
        return ending
      case .enoughSteps, .needsMainThread:
        preconditionFailure("A driver outside the main thread stopped for \(reason).")
      }
    }
  }

  /// The place where a driver runs. The place decides which jobs the driver may run.
  enum DriverPlace {
    case anyThread
    case mainActor
    /// Any thread, while the main thread waits for this driver.
    case besideMainThread
    /// A real block of a queue that targets the main queue. There the driver runs one job and stops.
    case blockOnMain

    @_transparent
    func mayRun(_ job: Job) -> Bool {
      switch self {
      case .anyThread, .besideMainThread: !job.isOnMain
      case .mainActor: if case .main = job.place { true } else { false }
      case .blockOnMain: false
      }
    }
  }

  /// Why a driver stopped taking steps.
  enum StopReason: Sendable {
    /// The driver is not in the place where this job has to run.
    case wrongPlace(Job)
    /// The one job that was to be run in this place has ended.
    case jobIsOver
    case waitForOtherThreads
    case waitForOutside(isExpected: Bool)
    /// Another thread has the turn, and this driver is a substitute.
    case gaveTurnAway
    case end(SimulationState.Ending)
    /// The host of the simulation wants no further step for now.
    case enoughSteps
    /// This step has been decided, and is to be carried out on the main thread.
    case needsMainThread(SimulationState.Step)
  }

  @MainActor private func driveOnMain(from job: Job?) -> StopReason {
    beginOnMain() ?? driveHere(from: job, on: .mainActor)
  }

  /// Runs a job in a real block of its queue.
  private nonisolated func drive(_ job: Job, in block: BlockOnMain) async -> StopReason {
    // The continuation returns no value: the thread sanitizer does not see that one is handed over if the block is over
    // before this task is suspended.
    let reason = Locked<StopReason?>(nil)
    await withUnsafeContinuation { (isOver: UnsafeContinuation<Void, Never>) in
      block.call { [self] in
        let stopped = beginOnMain() ?? driveHere(from: job, on: .blockOnMain)
        reason.withLock { $0 = stopped }
        isOver.resume()
      }
    }
    return reason.withLock { $0! }
  }

  /// Runs a job in a real block of its queue, from the main thread; false if the queue is suspended, so that it would not
  /// call the block. Then the job has not run.
  ///
  /// The run loop of the main thread has the queue call the block. In a block of the main queue it does not, because
  /// Core Foundation does not empty that queue in one of its own blocks. The job runs without its queue then.
  func runOnMainThread(_ job: Job, in block: BlockOnMain) -> Bool {
    if block.isSuspended { return false }
    let isOver = Locked(false)
    let hasEmptiedMainQueue = Locked(false)
    state.withLock { $0.driver = .waitingForMainActor }
    let call = block.call { [self] in
      // The run loop acts outside simulations, and the job does not.
      let outer = sleepless_act_outside(false)
      _ = beginOnMain() ?? driveHere(from: job, on: .blockOnMain)
      _ = sleepless_act_outside(outer)
      isOver.withLock { $0 = true }
    }
    outsideSimulations {
      DispatchQueue.main.async { hasEmptiedMainQueue.withLock { $0 = true } }
    }
    var rounds = 0
    while !isOver.withLock({ $0 }) {
      // Code outside may have suspended the queue meanwhile.
      if block.isSuspended, call.withdraw() {
        state.withLock { $0.driver = .driving }
        return false
      }
      host!.runRunLoop(for: 0.001)
      if !hasEmptiedMainQueue.withLock({ $0 }) { rounds += 1 }
      if rounds == Self.roundsOfRunLoop { call.run() }
    }
    return true
  }

  /// After so many rounds of the run loop without a block of the main queue, the queue counts as one that is not emptied.
  private static let roundsOfRunLoop = 100

  /// Notes that a driver has the main actor. Returns the reason if it must not run its job: the simulation was given up
  /// meanwhile, and is dead.
  private func beginOnMain() -> StopReason? {
    state.withLock { state in
      state.driver = .driving
      return state.phase.isDead ? .end(.blocked) : nil
    }
  }

  /// Drives on this thread, which may be one that runs the main run loop.
  nonisolated func driveHere(
    from first: Job?, carryingOut step: SimulationState.Step? = nil, on place: DriverPlace,
    in runLoopThread: BlockedThread? = nil
  ) -> StopReason {
    var reason: StopReason?
    let outer = sleepless_begin_driving(context)
    defer { _ = sleepless_begin_driving(outer) }
    capture.run(for: self) {
      if let step { reason = carryOut(step) }
      if let first { reason = run(first) }
      if reason == nil, case .blockOnMain = place { reason = .jobIsOver }
      if reason == nil { reason = takeSteps(on: place, in: runLoopThread) }
    }
    return reason!
  }

  /// Takes steps until the driver has to stop, and returns the reason.
  private func takeSteps(
    on place: DriverPlace, in runLoopThread: BlockedThread?
  ) -> StopReason {
    while true {
      if let runLoopThread, runLoopThread.runLoopRun?.isOver == true { runLoopThread.goOn() }
      // No comparison with nil: it is generic code, which is slow in a debug build.
      if let host, let reason = host.turns.reasonToStop(self) { return reason }
      if let reason = takeStep(on: place) { return reason }
    }
  }

  /// Takes one step. Returns the reason if the driver has to stop.
  func takeStep(on place: DriverPlace) -> StopReason? {
    let locked = state
    let state = locked.lock()
    let step =
      state.pointee.next()
      ?? state.pointee.next(due: timeline.nextInstant, of: timeline.count)
    let isWatched = state.pointee.watchers.isAny
    locked.unlock()
    guard case .run(let job) = step else {
      if case .besideMainThread = place, needsMainThread(step) { return .needsMainThread(step) }
      if case .mainActor = place, let job = drainJob(of: step) { return .wrongPlace(job) }
      return carryOut(step)
    }
    // Only the main actor's own jobs run there: other code must not run on the main actor.
    if !place.mayRun(job) { return .wrongPlace(job) }
    if let reason = run(job) { return reason }
    if isWatched, locked.withLock({ $0.inActor.job == nil }) { tellWatchers() }
    return nil
  }

  /// Whether a step may run code of the test that expects the main thread: the functions of schedulers, and the
  /// conditions of expectations. While a job blocks that thread, they run elsewhere.
  private func needsMainThread(_ step: SimulationState.Step) -> Bool {
    switch step {
    case .moveTime, .reach:
      kept.withLock { !$0.associated.isEmpty } && host?.turns.isMainThreadBlocked == false
    case .evaluate: host?.turns.isMainThreadBlocked == false
    default: false
    }
  }

  /// The job of a step that empties an actor's own queue. It runs code of that actor, so the main thread must not run
  /// it. Alarms, the other uncounted jobs, have the place `.anywhere`.
  private func drainJob(of step: SimulationState.Step) -> Job? {
    guard case .runUncounted(let job) = step, case .simulation = job.place else { return nil }
    return Job(job.job, place: .anywhere)
  }

  /// Does what has been decided, if it is not to run a job of a task.
  private func carryOut(_ step: SimulationState.Step) -> StopReason? {
    switch step {
    case .run: break  // by takeStep(on:)
    case .runUncounted(let job):
      sleepless_run_anywhere(job.task.address)
    case .tellWatchers:
      tellWatchers()
    case .endWait(let wait):
      wait.end()
    case .evaluate(let waits):
      for wait in waits { wait.evaluate() }
    case .moveTime:
      let (_, end) = timeline.driveToNext()
      if case .exceeded = end { return .end(.tooManySteps) }
      // A function of a scheduler waits on the main thread for a job that blocks it.
      if case .occupied = end { return .end(.blocked) }
    case .reach(let instant, let continuation):
      if case .occupied = timeline.drive(to: instant).end { return .end(.blocked) }
      guard let continuation else { return .end(.finished) }
      continuation.resume()
    case .resume(let continuations):
      for continuation in continuations { continuation.resume() }
    case .waitForOtherThreads:
      return .waitForOtherThreads
    case .waitForOutside(let isExpected):
      return .waitForOutside(isExpected: isExpected)
    case .tryWaitsAgain:
      _ = tryWaitsAgain()
    case .giveTurnBack:
      state.withLock { $0.blocked.takeBackTurn() }?.send()
      return .gaveTurnAway
    case .goOn: break
    case .end(let ending):
      return .end(ending)
    }
    return nil
  }

  private func tellWatchers() {
    guard let (note, watchers) = state.withLock({ $0.watchers.takeLatest() }) else { return }
    let simulation = Simulation(executor: self)
    for watcher in watchers { watcher(simulation, note) }
  }

  /// Calls the deadlock handlers of helpers; false if there are none, and no wait of the test framework
  /// can end now.
  func callDeadlockHandlers() -> Bool {
    if tryWaitsAgain() { return true }
    if state.withLock({ $0.waits.endPatience() }) { return true }
    let handlers = state.withLock { $0.helpers.takeDeadlockHandlers() }
    capture.run(for: self) {
      for handler in handlers { handler() }
    }
    return !handlers.isEmpty
  }

  /// Runs a job. Returns the reason if the driver has to stop.
  private func run(_ job: Job) -> StopReason? {
    if case .blockedThread = job.place { return giveTurn(to: job.task) }
    if job.isOnMain { addMainRunLoopSources(1) }
    switch job.place {
    case .simulation: sleepless_run(context, job.task.address, sleepless_executor())
    case .main, .targetingMain: sleepless_run(context, job.task.address, .main)
    case .actor(let actor): sleepless_enter_actor(actorEntry, actor.address)
    case .returning(let actor):
      let locked = state.lock()
      locked.pointee.makeReady(Job(job, retainingActorIn: .actor(actor)))
      locked.pointee.running.isReadyAgain = true
      state.unlock()
    case .blockedThread: break
    case .anywhere: sleepless_run_anywhere(job.task.address)
    }
    return nil
  }

  /// Runs the job that the simulation has sent to an actor. The actor calls this on the thread that it
  /// uses.
  ///
  /// `own` is that job and its step if it has an entry of its own.
  func runJobInActor(_ own: (job: Job, step: Int)? = nil) {
    let (locked, host) = (state, host)
    let state = locked.lock()
    let (job, step) = own ?? (state.pointee.inActor.job!, state.pointee.inActor.step)
    let isDead = state.pointee.phase.isDead
    locked.unlock()
    if isDead { return }
    sleepless_run(context, job.task.address, ActorExecutorHook.executor(of: job.actor!))
    _ = locked.lock()
    // A job that blocked its thread may go on when the simulation is over, or after the held task in whose step it ran.
    // It is not in the state then.
    let isInState = state.pointee.inActor.job != nil && state.pointee.inActor.step == step
    if isInState { state.pointee.endJobInActor() }
    let driver = state.pointee.driver.takeContinuation()
    locked.unlock()
    // The driver may have gone on by now on another thread, and may have released this executor for the
    // last time. So the rest of this function uses none of its properties.
    if job.retainsActor { sleepless_release(job.actor!.address) }
    driver?.resume()
    host?.wake()
  }

  // MARK: Waiting

  /// Waits while tasks of the simulation run on other threads.
  private nonisolated func waitForOtherThreads() async {
    // Mostly a task is just leaving an actor, which takes almost no time.
    for _ in 1...100 {
      sched_yield()
      let isOver = state.withLock { state in
        state.inActor.job == nil && (!state.ready.isEmpty || !state.tasks.isAnyRunningElsewhere)
      }
      if isOver { return }
    }
    guard state.withLock({ $0.inActor.job == nil }) else { return await waitForJobInActor() }
    state.withLock { $0.outside.useMillisecond() }
    await withUnsafeContinuation { continuation in
      // real time: no hook reports when a task on another thread is suspended
      outsideSimulations {
        _ = DispatchQueue.global().schedule(after: .milliseconds(1)) { continuation.resume() }
      }
    }
  }

  /// Waits until the job in an actor has ended.
  private nonisolated func waitForJobInActor() async {
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        if state.inActor.job != nil { state.driver = .suspended(continuation) }
        return state.inActor.job == nil
      }
      if isOver { continuation.resume() }
    }
  }

  /// Waits until a job or a request comes from outside; false if none does in time.
  nonisolated func waitForOutside(isExpected: Bool) async -> Bool {
    let timeout = options.timeout(isExpected: isExpected)
    let timer = Locked<HangTimer?>(nil)
    let hasRunOut = Locked(false)
    await withUnsafeContinuation { continuation in
      let isReady = state.withLock { state in
        if !state.hasJobs { state.driver = .suspended(continuation) }
        return state.hasJobs
      }
      guard !isReady else { return continuation.resume() }
      // The timer starts only now. Before, a short timeout could end without a driver to resume.
      let hangTimer = HangTimer(timeout) { [self] in
        guard let driver = state.withLock({ $0.driver.takeContinuation() }) else { return }
        hasRunOut.withLock { $0 = true }
        driver.resume()
      }
      timer.withLock { $0 = hangTimer }
    }
    timer.withLock { $0.take() }?.cancel()
    return !hasRunOut.withLock { $0 } || state.withLock { $0.hasJobs }
  }
}

extension sleepless_executor {
  static let main = unsafeBitCast(
    MainActor.sharedUnownedExecutor, to: sleepless_executor.self)
}

extension UnownedSerialExecutor {
  /// The runtime's value for no particular executor: two words of zero.
  static var generic: UnownedSerialExecutor {
    unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
  }
}
