import CRuntimeHooks
import Sleepless

/// A job that runs within the step of another task, which is held meanwhile.
struct JobWithinStep {
  let job: Job
  /// The job of the held task.
  let held: RunningJob
  /// The function in which the job's task is suspended; 0 if unknown.
  let function: UInt
  /// The calls on the held task's stack, if it has come to a call before which others may run.
  let stack: [UInt]
  /// Whether the schedule is a replay.
  let isRecorded: Bool
}

/// Only a job that runs on no actor is taken: the held task may be on an actor, which must not get a second job. So jobs
/// of the main actor and blocks of the main queue are never taken. A task whose sleep has been cancelled is not taken
/// either, because the job that ends its sleep comes after its own.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// Takes the job that the running task has just made ready by waking or creating another task, if the strategy
  /// runs it before the running task goes on.
  mutating func takeWoken(_ task: TaskPointer) -> JobWithinStep? {
    guard let controller, mayHoldTask, running.task != task, let last = ready.last,
      last.task == task, case .simulation = last.place, let entry = tasks.find(task)
    else { return nil }
    let function = controller.takeWoken(entry.pointee.number, at: now) {
      suspendedFrames(of: task).first ?? 0
    }
    return function.map { beginWithinStep(ready.count - 1, suspendedIn: $0, stack: []) }
  }

  /// Notes that the running task has come to a call before which others may run; nil if none does.
  mutating func noteCall() -> CallPlace? { mayHoldTask ? controller?.noteCall() : nil }

  /// Takes a job that runs before a call of the running task, if the strategy runs one there.
  mutating func takeJob(before call: inout HeldCall) -> JobWithinStep? {
    guard let controller, mayHoldTask else { return nil }
    let taken = controller.takeJob(before: &call, at: now) { index in
      guard case .simulation = ready[index].place else { return false }
      return tasks.find(ready[index].task) != nil
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

  private mutating func beginWithinStep(
    _ index: Int, suspendedIn function: UInt, stack: [UInt]
  ) -> JobWithinStep {
    let taken = JobWithinStep(
      job: ready.take(at: index), held: running, function: function, stack: stack,
      isRecorded: controller!.isReplaying)
    let task = taken.job.task
    let entry = tasks.find(task)!
    heldTask = running.task
    steps += 1
    if !helpers.isAnyRunning || !helpers.isOwn(taken.job) { helpers.lastChange = steps }
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
    heldTask = nil
  }
}
