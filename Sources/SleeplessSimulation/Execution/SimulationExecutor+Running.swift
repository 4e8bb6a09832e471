import CRuntimeHooks
import Sleepless
import VirtualTime

/// A simulation from its start to its end.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Makes the body's task, to run when the simulation is driven.
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

  /// Drives the simulation to where it ends, and then cancels and runs whatever is left.
  nonisolated func driveToEnd() async -> Simulation.Report {
    let closing = closing(await drive())
    if closing.isAnythingLeft, cancelEverything() { _ = await drive() }
    return close(closing)
  }

  /// Ends a simulation that synchronous code drives.
  func driveToEnd(_ ending: SimulationState.Ending, drive: () -> Void) -> Simulation.Report {
    let closing = closing(ending)
    if closing.isAnythingLeft, cancelEverything() { drive() }
    return close(closing)
  }

  /// Gives up a simulation whose driver cannot go on.
  func abandon() -> Simulation.Report { close(closing(.blocked)) }

  private func closing(_ ending: SimulationState.Ending) -> Closing {
    let work = timeline.count == 0 ? [] : pendingWork
    let elapsed = timeline.now
    return state.withLock { Closing(&$0, ending, work, elapsed: elapsed) }
  }

  /// Cancels all tasks; driven on, they run to their ends, whatever time that takes. Returns false if the
  /// simulation has been given up: they are not its any more, even if its driver has got free.
  private func cancelEverything() -> Bool {
    let tasks = state.withLock { state -> [TaskPointer]? in
      guard case .running = state.phase else { return nil }
      state.phase = .ending
      state.controller?.beginEnding()
      state.stepLimit = state.steps + 100_000
      return state.tasks.unfinished.map(\.task)
    }
    guard let tasks else { return false }
    capture.run(for: self) {
      for task in tasks {
        // At work elsewhere it may end meanwhile, but not go.
        let isHeld = state.withLock {
          $0.tasks.isUnfinished(task) && sleepless_try_hold(task.address)
        }
        guard isHeld else { continue }
        sleepless_cancel_task(task.address)
        sleepless_release(task.address)
      }
    }
    return true
  }

  /// Ends it: what comes from now on is not the simulation's any more.
  private func close(_ closing: Closing) -> Simulation.Report {
    let (left, jobs, mainTasks, hasBodyEnded) = state.withLock { state in
      // Given up, it is closed when its driver gets free once more.
      if !state.isDead {
        state.phase = options.isBodyLent && !state.bodyHasEnded ? .dead : .closed
      }
      state.controller = nil
      let jobs = state.isDead ? [] : state.takeAllJobs()
      // The dead must go on being recognised there, or the main actor would run them.
      let mainTasks =
        state.isDead ? [] : state.tasks.unfinished.filter(\.isOnMain).map(\.task)
      return (state.suspensions, jobs, mainTasks, state.bodyHasEnded)
    }
    sleepless_close(context)
    for task in mainTasks { MainTasks.remove(task) }
    for job in jobs { capture.sendOn(job) }
    _ = timeline.close()
    let associatedObjects = associatedObjects.withLock { associatedObjects in
      defer { associatedObjects = [] }
      return associatedObjects
    }
    withExtendedLifetime(associatedObjects) {}
    return closing.report(ignoringCancellation: left.map(\.report), hasBodyEnded: hasBodyEnded)
  }

  /// The work on the simulation's queues and schedulers that is still to come, its own sleeps left
  /// out.
  private var pendingWork: [WorkRecord] {
    timeline.pending.filter { $0.source.queue !== queue }
  }
}

/// What is known of a simulation when it ends, before anything is cancelled.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private struct Closing {
  let ending: SimulationState.Ending
  let waitsForMain: Bool
  let suspensions: [Suspension]
  let work: [WorkRecord]
  let elapsed: Instant
  let steps: Int
  let externalResumptions: ExternalResumptions
  let trace: [StepRecord]

  init(
    _ state: inout SimulationState, _ ending: SimulationState.Ending, _ work: [WorkRecord],
    elapsed: Instant
  ) {
    self.ending = ending
    waitsForMain = state.waitsForMain
    suspensions = state.suspensions
    self.work = work
    self.elapsed = elapsed
    steps = state.steps
    externalResumptions = state.externalResumptions
    trace = state.trace
  }

  var isAnythingLeft: Bool { !suspensions.isEmpty || !work.isEmpty }

  func report(
    ignoringCancellation left: [Simulation.TaskReport], hasBodyEnded: Bool
  ) -> Simulation.Report {
    Simulation.Report(
      ending: reportedEnding, elapsed: elapsed.duration, steps: steps,
      externalResumptionCount: externalResumptions.count,
      externalResumptions: externalResumptions.tasks.map(\.report),
      unfinishedTasks: suspensions.filter { $0.entry.number > 0 && !$0.entry.isBackground }
        .map(\.report),
      body: suspensions.first { $0.entry.number == 0 }?.report,
      tasksIgnoringCancellation: left, pendingWork: work, trace: trace, hasBodyEnded: hasBodyEnded)
  }

  private var reportedEnding: Simulation.Ending {
    switch ending {
    case .finished: .finished
    case .deadlock: .deadlock
    case .tooManySteps:
      .tooManySteps(
        busiest: suspensions.sorted { $0.entry.steps > $1.entry.steps }.prefix(3).map(\.report))
    case .tooLate: .tooLate
    case .blocked: waitsForMain ? .mainActorBlocked : .threadBlocked
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Report {
  static let nested = Simulation.Report(
    ending: .nested, elapsed: .zero, steps: 0, externalResumptionCount: 0, externalResumptions: [],
    unfinishedTasks: [],
    body: nil, tasksIgnoringCancellation: [], pendingWork: [], trace: [], hasBodyEnded: true)
}
