import CRuntimeHooks
import Sleepless
import VirtualTime

/// A simulation from its start to its end.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Creates the body's task, which runs once the simulation is driven.
  func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    var task: Task<Void, Never>?
    capture.run(for: self) {
      task = Task(executorPreference: self) { [self] in
        await body()
        state.withLock { $0.bodyHasEnded = true }
      }
    }
    return task!
  }

  /// Drives the simulation until it cannot go on. Then cancels everything that is left and runs it to its
  /// end. Returns nil if this driver is a substitute, and another one drives on; see `BlockedThreads`.
  nonisolated func driveToEnd(_ body: Task<Void, Never>?) async -> Simulation.Report? {
    while let ending = await drive() {
      if let report = end(ending, cancelling: body) { return report }
    }
    return nil
  }

  /// Cancels everything that is left, and returns nil: the simulation is to be driven on. When nothing is left to
  /// be run, or the second time, returns the report.
  private func end(
    _ ending: SimulationState.Ending, cancelling body: Task<Void, Never>?
  ) -> Simulation.Report? {
    let current = endState(ending)
    let (first, isFirst) = state.withLock { state in
      let earlier = state.firstEnd
      state.firstEnd = earlier ?? current
      return (earlier ?? current, earlier == nil)
    }
    if isFirst, first.isAnythingLeft || !first.hasBodyEnded, cancelEverything(body) { return nil }
    return close(first)
  }

  /// Ends a simulation that synchronous code drives.
  func driveToEnd(_ ending: SimulationState.Ending, drive: () -> Void) -> Simulation.Report {
    if let first = state.withLock({ $0.firstEnd }) {
      drive()
      return close(first)
    }
    let endState = endState(ending)
    if endState.isAnythingLeft, cancelEverything() { drive() }
    return close(endState)
  }

  /// Notes how a hosted simulation is that cannot go on while a job blocks the main thread, and cancels everything.
  /// Returns false the second time.
  func endBesideMainThread(_ ending: SimulationState.Ending) -> Bool {
    let current = endState(ending)
    let isFirst = state.withLock { state in
      if state.firstEnd != nil || state.phase.isOver { return false }
      state.firstEnd = current
      return true
    }
    return isFirst && cancelEverything()
  }

  /// Ends a simulation whose driver is blocked.
  func abandon() -> Simulation.Report { close(endState(.blocked)) }

  /// Sets what a test drives a hosted simulation for, and returns what that was before.
  func exchangeHostRequest(_ request: TimeRequests.HostRequest?) -> TimeRequests.HostRequest? {
    state.withLock { state in
      defer { (state.requests.host, state.requests.isHostRestless) = (request, false) }
      state.noteCodeBetweenSteps()
      return state.requests.host
    }
  }

  /// How the simulation has gone if it ends so, before anything is cancelled.
  func report(_ ending: SimulationState.Ending) -> Simulation.Report {
    let (first, hasBodyEnded, keepsMainActor) = state.withLock {
      ($0.firstEnd, $0.bodyHasEnded, $0.blocked.keepsMainActor)
    }
    return (first ?? endState(ending)).report(
      ignoringCancellation: [], hasBodyEnded: hasBodyEnded, keepsMainActor: keepsMainActor)
  }

  private func endState(_ ending: SimulationState.Ending) -> EndState {
    let work = timeline.count == 0 ? [] : pendingWork
    let elapsed = timeline.now
    let signals = signalHandlersAndTimers
    let endState = state.withLock {
      EndState(&$0, ending, work, begunOutside: $0.outside.begun + signals, elapsed: elapsed)
    }
    #if SLEEPLESS_CAPTURES_PROCESS
      if case .deadlock = ending { endState.waitingBlocks = waitingBlocks }
    #endif
    return endState
  }

  /// Cancels all tasks. They run to their ends when the simulation is driven on. Returns false if the
  /// simulation is over already, because it was abandoned before its driver returned.
  private func cancelEverything(_ body: Task<Void, Never>? = nil) -> Bool {
    guard let tasks = state.withLock({ $0.beginEnding() }) else { return false }
    // Where nothing is captured, no task is known but this.
    body?.cancel()
    capture.run(for: self) {
      for task in tasks {
        // On another executor the task may end meanwhile, but its memory must not be freed.
        let isHeld = state.withLock {
          $0.tasks.isUnfinished(task) && sleepless_try_retain(task.address)
        }
        guard isHeld else { continue }
        sleepless_cancel_task(task.address)
        sleepless_release(task.address)
      }
    }
    return true
  }

  /// Closes the simulation: jobs that arrive from now on are no longer its own.
  private func close(_ endState: EndState) -> Simulation.Report {
    let (keepsMainActor, leftovers, hasBodyEnded, kept) = state.withLock { state in
      (state.blocked.keepsMainActor, state.close(), state.bodyHasEnded, state.kept)
    }
    sleepless_close(context)
    if let leftovers { giveUp(leftovers) }
    // A driver of a hosted simulation may still wait for its turn.
    if host != nil { state.withLock { $0.blocked.takeBackTurn() }?.send() }
    _ = timeline.close()
    if let kept {
      let associated = kept.withLock { kept in
        defer { kept.associated = [] }
        return kept.associated
      }
      withExtendedLifetime(associated) {}
    }
    return endState.report(
      ignoringCancellation: leftovers?.tasks ?? [], hasBodyEnded: hasBodyEnded,
      keepsMainActor: keepsMainActor)
  }

  /// Lets what is left go on outside the simulation, which is closed.
  private func giveUp(_ leftovers: SimulationState.Leftovers) {
    for task in leftovers.mainTasks { MainTasks.remove(task) }
    for job in leftovers.jobs { capture.sendOn(job) }
    #if SLEEPLESS_CAPTURES_PROCESS
      giveUp(leftovers.queueWork, neverDue: leftovers.neverDue)
      TimerSource.giveUp(of: self)
      RunLoopTimer.giveUp(of: self)
    #endif
    for thread in leftovers.threads { thread.turn.send() }
  }

  /// What virtual time will move for, without the sleeps of tasks.
  var delays: [WorkRecord] {
    timeline.pending.filter { $0.source.queue !== queue || $0.label != Self.sleepLabel }
  }

  /// The pending work on the simulation's queues and schedulers, without the sleeps of its tasks.
  private var pendingWork: [WorkRecord] {
    timeline.pending.filter { $0.source.queue !== queue }
  }
}

/// The state of a simulation at its end, before anything is cancelled.
///
/// It is a class, so that `SimulationState`, which has one, stays below 1,032 bytes: glibc allocates larger blocks more
/// slowly. With fewer copies of it, that saves 2.5 % of the instructions of a schedule of 20 jobs (callgrind, release).
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class EndState: @unchecked Sendable {
  // Unchecked because of the pointers between the entries of tasks, which nothing follows, and because of
  // `waitingBlocks`, which is set before another thread can use the object.

  let ending: SimulationState.Ending
  let isDriverWaitingForMainActor: Bool
  let suspensions: [Suspension]
  let work: [WorkRecord]
  let elapsed: Instant
  let steps: Int
  let externalResumptions: ExternalResumptions
  let begunOutside: [BegunOutside]
  var waitingBlocks: [WaitingBlocks] = []
  let trace: [StepRecord]
  let hasBodyEnded: Bool
  let followsQueues: Bool

  init(
    _ state: inout SimulationState, _ ending: SimulationState.Ending, _ work: [WorkRecord],
    begunOutside: [BegunOutside], elapsed: Instant
  ) {
    self.ending = ending
    isDriverWaitingForMainActor =
      if case .waitingForMainActor = state.driver { true } else { false }
    // A driver whose job was blocked for too long comes here again when that returns. Its report has been made.
    suspensions = state.tasksLeft == nil ? state.suspensions : []
    self.work = work
    self.elapsed = elapsed
    steps = state.steps
    externalResumptions = state.outside.resumptions
    self.begunOutside = begunOutside
    trace = state.trace
    hasBodyEnded = state.bodyHasEnded
    followsQueues = state.followsQueues
  }

  var isAnythingLeft: Bool { !suspensions.isEmpty || !work.isEmpty }

  func report(
    ignoringCancellation left: [Simulation.TaskReport], hasBodyEnded: Bool, keepsMainActor: Bool
  ) -> Simulation.Report {
    Simulation.Report(
      ending: reportedEnding, elapsed: elapsed.duration, steps: steps,
      externalResumptionCount: externalResumptions.count,
      externalResumptions: externalResumptions.reports,
      unfinishedTasks: suspensions.filter { $0.entry.number > 0 && !$0.entry.isBackground }
        .map(\.report),
      body: suspensions.first { $0.entry.number == 0 }?.report,
      tasksIgnoringCancellation: left, begunOutside: begunOutside,
      waitingBlocks: waitingBlocks, pendingWork: work, trace: trace,
      followsQueues: followsQueues, hasBodyEnded: hasBodyEnded, keepsMainActor: keepsMainActor)
  }

  private var reportedEnding: Simulation.Ending {
    switch ending {
    case .finished: .finished
    case .deadlock: .deadlock
    case .tooManySteps:
      .tooManySteps(
        busiest: suspensions.sorted { $0.entry.steps > $1.entry.steps }.prefix(3).map(\.report))
    case .tooLate: .tooLate
    case .givenUp(let reason): .givenUp(because: reason)
    case .tooManyBlockedThreads: .tooManyBlockedThreads(BlockedThreads.tooMany)
    case .blocked: isDriverWaitingForMainActor ? .mainActorBlocked : .threadBlocked
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Report {
  static let nested = Simulation.Report(
    ending: .nested, elapsed: .zero, steps: 0, externalResumptionCount: 0, externalResumptions: [],
    unfinishedTasks: [],
    body: nil, tasksIgnoringCancellation: [], begunOutside: [], waitingBlocks: [],
    pendingWork: [], trace: [], followsQueues: false,
    hasBodyEnded: true, keepsMainActor: false)
}
