import CRuntimeHooks
import Sleepless

/// A job that runs within the step of another task, which is held meanwhile.
struct JobWithinStep {
  let job: Job
  /// The number of its own step.
  let step: Int
  /// The job of the held task.
  let held: RunningJob
  /// The same job, if it runs in an actor.
  let heldInActor: JobInActor
  /// The function in which the job's task is suspended; 0 if unknown.
  let function: UInt
  /// The calls on the held task's stack, if it has come to a call before which others may run.
  let stack: [UInt]
  /// Whether the schedule is a replay.
  let isRecorded: Bool
}

/// A job that runs in an actor is taken if no other job is there: neither the held task's nor one that blocks its thread.
/// Jobs of the main actor and blocks of the main queue are never taken, because only the main thread may run them. A task
/// whose sleep has been cancelled is not taken either, because the job that ends its sleep comes after its own.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// Takes the job that the running task has just made ready by waking or creating another task, if the strategy
  /// runs it before the running task goes on.
  mutating func takeWoken(_ task: TaskPointer) -> JobWithinStep? {
    guard let controller, mayHoldTask, running.task != task, let last = ready.last,
      last.task == task, mayRunWithinStep(last), let entry = tasks.find(task)
    else { return nil }
    let function = controller.takeWoken(entry.pointee.number, at: now) {
      suspendedFrames(of: task).first ?? 0
    }
    return function.map { beginWithinStep(ready.count - 1, suspendedIn: $0, stack: []) }
  }

  /// Takes the next job of a task that has run within this step and has hopped to another executor, if the strategy runs
  /// that too before the running task goes on.
  mutating func takeHopped(after taken: JobWithinStep) -> JobWithinStep? {
    guard let last = ready.last, last.task == taken.job.task,
      last.actor?.address != taken.job.actor?.address
    else { return nil }
    return takeWoken(last.task)
  }

  /// Notes that the running task has come to a call before which others may run; nil if none does.
  mutating func noteCall() -> CallPlace? { mayHoldTask ? controller?.noteCall() : nil }

  /// Takes a job that runs before a call of the running task, if the strategy runs one there.
  mutating func takeJob(before call: inout HeldCall) -> JobWithinStep? {
    guard let controller, mayHoldTask else { return nil }
    let taken = controller.takeJob(before: &call, at: now) { index in
      mayRunWithinStep(ready[index]) && tasks.find(ready[index].task) != nil
    } functionAt: { index in
      suspendedFrames(of: ready[index].task).first ?? 0
    }
    return taken.map { beginWithinStep($0.index, suspendedIn: $0.function, stack: call.stack) }
  }

  /// Whether this thread runs the job of a task that may be held.
  private var mayHoldTask: Bool {
    guard case .running = phase, steps < stepLimit, !missesTasks, heldTask == nil,
      let task = running.task
    else { return false }
    return TaskPointer.current == task
  }

  /// Whether the place of a job allows that it runs now, while the running task is held.
  private func mayRunWithinStep(_ job: Job) -> Bool {
    switch job.place {
    case .simulation: true
    case .actor(let actor): isFree(actor)
    // It would wait behind the jobs that are in line for the actor.
    case .returning(to: let actor): isFree(actor) && !actorWaitQueues.isInUse(actor)
    case .main, .targetingMain, .blockedThread, .anywhere: false
    }
  }

  /// Whether no job of the simulation is in an actor.
  private func isFree(_ actor: ActorPointer) -> Bool {
    inActor.job?.actor?.address != actor.address && !blocked.isOccupied(actor)
  }

  private mutating func beginWithinStep(
    _ index: Int, suspendedIn function: UInt, stack: [UInt]
  ) -> JobWithinStep {
    var job = ready.take(at: index)
    if case .returning(to: let actor) = job.place {
      job = Job(job, retainingActorIn: .actor(actor))
    } else if let actor = job.actor, let next = actorWaitQueues.dequeue(to: actor) {
      append(next, isFromOutside: false)
    }
    let taken = JobWithinStep(
      job: job, step: steps + 1, held: running, heldInActor: inActor, function: function,
      stack: stack, isRecorded: controller!.isReplaying)
    inActor = JobInActor()
    if job.actor != nil { inActor.begin(job, in: taken.step) }
    let task = job.task
    let entry = tasks.find(task)!
    heldTask = running.task
    steps += 1
    if !helpers.isAnyRunning || !helpers.isOwn(job) { helpers.lastChange = steps }
    if watchers.isAny, let report = suspension(of: task)?.report {
      watchers.noteTaskWithinStep(report)
    }
    running = RunningJob()
    running.begin(task, entry, isOnMain: false)
    entry.pointee.run(at: now)
    if options.recordsSteps { trace.append(StepRecord(task: entry.pointee.number, instant: now)) }
    return taken
  }

  /// Notes that the held task goes on. `reason` is nil if the job's task has been suspended; else it says how the task
  /// blocks its thread. A task that blocks its thread counts as one that runs on another executor.
  mutating func end(_ taken: JobWithinStep, blockedBy reason: BlockingCode.Reason?) {
    // It may have blocked its thread by a call that takes virtual time just when it was given up.
    if let reason, blocked[taken.job.task] == nil {
      if let entry = tasks.find(taken.job.task) { tasks.moveElsewhere(entry) }
      controller?.endWithinStep(reason, in: taken.function, at: taken.stack)
    } else {
      endRunningJob()
      controller?.endWithinStep()
    }
    running = taken.held
    inActor = taken.heldInActor
    heldTask = nil
  }
}
