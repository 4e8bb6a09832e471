import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// The driver: takes out one job after another and runs it, until there is an end.
///
/// It is an ordinary task outside the simulation. It runs the main actor's jobs where they belong,
/// by going to the real main actor, which lets one simulation in at a time; and it waits for what
/// comes from outside by suspending, so no thread is ever held.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Runs the simulation until it can go on no more.
  nonisolated func drive() async -> SimulationState.Ending {
    var isOnMain = false
    var job: Job?
    while true {
      if isOnMain { state.withLock { $0.waitsForMain = true } }
      let stop = isOnMain ? await driveOnMain(from: job) : driveHere(from: job, on: .anyThread)
      job = nil
      switch stop {
      case .elsewhere(let next):
        job = next
        isOnMain = next.isOnMain
      case .letOthersWork:
        await waitForOthers()
      case .wait(let isExpected):
        let hasMore = await waitForOutside(isExpected: isExpected) || callDeadlockHandlers()
        guard hasMore else { return .deadlock }
      case .end(let ending):
        return ending
      }
    }
  }

  /// Where a driver is, and so which jobs it may run.
  enum Side {
    case anyThread
    case mainActor
    /// The thread of a synchronous test, which must run all of them.
    case host

    @_transparent
    func mayRun(_ job: Job) -> Bool {
      switch self {
      case .anyThread: !job.isOnMain
      case .mainActor: job.isOnMain
      case .host: true
      }
    }
  }

  /// Why a driver cannot go on where it is.
  enum Stop: Sendable {
    /// This job has to run on the other side.
    case elsewhere(Job)
    case letOthersWork
    case wait(isExpected: Bool)
    case end(SimulationState.Ending)
  }

  @MainActor private func driveOnMain(from job: Job?) -> Stop {
    state.withLock { $0.waitsForMain = false }
    return driveHere(from: job, on: .mainActor)
  }

  private nonisolated func driveHere(from first: Job?, on side: Side) -> Stop {
    var stop: Stop?
    capture.run(for: self) {
      if let first { run(first) }
      while stop == nil { stop = takeStep(on: side) }
    }
    return stop!
  }

  /// Takes one step on behalf of a driver on that side; says why if the driver cannot go on.
  func takeStep(on side: Side) -> Stop? {
    let locked = state
    let state = locked.lock()
    let step =
      state.pointee.next()
      ?? state.pointee.next(due: timeline.nextInstant, of: timeline.count)
    let isWatched = state.pointee.isWatched
    locked.unlock()
    switch step {
    case .run(let job):
      // Before and after its stay on the main actor a simulation is off it: code that is not the
      // main actor's must not find itself there.
      if !side.mayRun(job) { return .elsewhere(job) }
      run(job)
      if isWatched, locked.withLock({ $0.jobInActor == nil }) { tellWatchers() }
    case .serve(let service):
      service.job.runSynchronously(on: .generic)
    case .tellWatchers:
      tellWatchers()
    case .moveTime:
      let (_, end) = timeline.driveToNext()
      if case .exceeded = end { return .end(.tooManySteps) }
    case .reach(let instant, let continuation):
      _ = timeline.drive(to: instant)
      guard let continuation else { return .end(.finished) }
      continuation.resume()
    case .resume(let continuations):
      for continuation in continuations { continuation.resume() }
    case .letOthersWork:
      return .letOthersWork
    case .wait(let isExpected):
      return .wait(isExpected: isExpected)
    case .end(let ending):
      return .end(ending)
    }
    return nil
  }

  private func tellWatchers() {
    let (note, watchers) = state.withLock { ($0.latest.take(), $0.watchers.map { $0 }) }
    guard let note else { return }
    let simulation = Simulation(executor: self)
    for watcher in watchers { watcher(simulation, note) }
  }

  /// Tells those who want to know that nothing can run; false if there is nobody left to tell.
  func callDeadlockHandlers() -> Bool {
    let deadlockHandlers = state.withLock { $0.takeDeadlockHandlers() }
    capture.run(for: self) {
      for handler in deadlockHandlers { handler() }
    }
    return !deadlockHandlers.isEmpty
  }

  private func run(_ job: Job) {
    if host != nil { state.withLock { $0.borrowsMain = !job.isOnMain } }
    runHere(job)
    if host != nil { state.withLock { $0.borrowsMain = false } }
  }

  private func runHere(_ job: Job) {
    switch job.place {
    case .simulation: sleepless_run(context, job.task.address, sleepless_executor())
    case .main: sleepless_run(context, job.task.address, .main)
    case .actor(let actor): sleepless_enter_actor(actorEntry, actor.address)
    case .wayBack(let actor):
      state.withLock { state in
        state.makeReady(Job(job, inHeldActorAt: .actor(actor)))
        state.runningIsReady = true
      }
    case .anywhere: job.job.runSynchronously(on: .generic)
    }
  }

  /// Runs the job of which it is the turn, in the actor where it belongs, on the thread that serves the
  /// actor.
  func runJobInActor() {
    let (locked, host) = (state, host)
    let state = locked.lock()
    let job = state.pointee.jobInActor!
    let isDead = state.pointee.isDead
    locked.unlock()
    if isDead { return }
    sleepless_run(context, job.task.address, ActorExecutorHook.executor(of: job.actor!))
    _ = locked.lock()
    state.pointee.endJobInActor()
    let driver = state.pointee.takeDriver()
    locked.unlock()
    // If the thread is not the driver's, the driver may have gone on and let go of this for good: from
    // here on nothing of it may be used.
    if job.holdsActor { sleepless_release(job.actor!.address) }
    driver?.resume()
    host?.wake()
  }

  /// Lets the threads work on which tasks of the simulation are at work on.
  private nonisolated func waitForOthers() async {
    // Mostly somebody leaves an actor, which takes no time at all.
    for _ in 1...100 {
      sched_yield()
      let isOver = state.withLock { state in
        state.jobInActor == nil && (!state.ready.isEmpty || !state.tasks.isAnyAtWork)
      }
      if isOver { return }
    }
    guard state.withLock({ $0.jobInActor == nil }) else { return await waitForJobInActor() }
    state.withLock { $0.waitsForOthers -= 1 }
    await withUnsafeContinuation { continuation in
      // real time: nobody tells when a task on another thread has come to rest
      DispatchQueue.global().schedule(after: .milliseconds(1)) { continuation.resume() }
    }
  }

  /// Waits until the actor that a job is to run in has let it in and out.
  private nonisolated func waitForJobInActor() async {
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        if state.jobInActor != nil { state.driver = continuation }
        return state.jobInActor == nil
      }
      if isOver { continuation.resume() }
    }
  }

  /// Waits until something comes from outside, a job or a wish; false if nothing does.
  private nonisolated func waitForOutside(isExpected: Bool) async -> Bool {
    let timeout = options.timeout(isExpected: isExpected)
    let timer = Locked<HangTimer?>(nil)
    let hasRunOut = Locked(false)
    await withUnsafeContinuation { continuation in
      let isReady = state.withLock { state in
        if !state.hasJobs { state.driver = continuation }
        return state.hasJobs
      }
      guard !isReady else { return continuation.resume() }
      // Not before: a short one could be over before there is anybody to wake.
      let hangTimer = HangTimer(timeout) { [self] in
        guard let driver = state.withLock({ $0.takeDriver() }) else { return }
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
  /// No executor in particular, as the runtime writes it: two words of zero.
  static var generic: UnownedSerialExecutor {
    unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
  }
}
