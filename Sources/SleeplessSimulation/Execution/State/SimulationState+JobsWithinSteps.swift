import CRuntimeHooks
import Sleepless

/// A job that runs within the step of another task, which is held meanwhile.
struct JobWithinStep {
  let job: Job
  /// The job of the held task.
  let held: RunningJob
  let code: CodeWithinStep
  /// Whether the schedule is a replay.
  let isRecorded: Bool
}

/// Only a job that runs on no actor is taken: the held task may be on an actor, which must not get a second job. A task
/// whose sleep has been cancelled is not taken either, because the job that ends its sleep comes after its own.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// Takes the job that the running task has just made ready by waking or creating another task, if the strategy
  /// runs it before the running task goes on.
  mutating func takeWoken(_ task: TaskPointer) -> JobWithinStep? {
    guard let controller, mayHoldTask, running.task != task, let last = ready.last,
      last.task == task, case .simulation = last.place, let entry = tasks.find(task)
    else { return nil }
    var code: CodeWithinStep?
    let isTaken = controller.takesWoken(entry.pointee.number, at: now) {
      code = CodeWithinStep(function: suspendedFrames(of: task).first ?? 0, calls: [])
      return code!
    }
    return isTaken ? beginWithinStep(ready.count - 1, code!) : nil
  }

  /// Takes a job that runs before a call of the running task that need not wait, if the strategy runs one there. `call`
  /// is nil at first, and is the call's place from then on.
  mutating func takeJob(before call: inout CallPlace?) -> JobWithinStep? {
    guard let controller, mayHoldTask, !controller.isUncontrolled else { return nil }
    if call == nil { call = controller.noteCall() }
    guard let call else { return nil }
    var code: CodeWithinStep?
    let index = controller.takesJob(before: call, at: now) { index in
      guard case .simulation = ready[index].place else { return false }
      return tasks.find(ready[index].task) != nil
    } code: { index in
      code = CodeWithinStep(
        function: suspendedFrames(of: ready[index].task).first ?? 0,
        calls: SimulationExecutor.jobStack)
      return code!
    }
    return index.flatMap { beginWithinStep($0, code!) }
  }

  /// Whether this thread runs the job of a task that may be held.
  private var mayHoldTask: Bool {
    guard case .running = phase, !missesTasks, !isTaskHeld, let task = running.task else {
      return false
    }
    return TaskPointer.current == task
  }

  private mutating func beginWithinStep(_ index: Int, _ code: CodeWithinStep) -> JobWithinStep {
    let taken = JobWithinStep(
      job: ready.take(at: index), held: running, code: code, isRecorded: controller!.isReplaying)
    let task = taken.job.task
    let entry = tasks.find(task)!
    isTaskHeld = true
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

  /// Notes that the held task goes on: the job's task has been suspended, or it blocks its thread. A task that
  /// blocks its thread counts as one that runs on another executor.
  mutating func end(_ taken: JobWithinStep, isBlocked: Bool) {
    // It may have blocked its thread by a call that takes virtual time just when it was given up.
    let isBlocked = isBlocked && blocked[taken.job.task] == nil
    if isBlocked {
      if let entry = tasks.find(taken.job.task) { tasks.moveElsewhere(entry) }
    } else {
      endRunningJob()
    }
    running = taken.held
    isTaskHeld = false
    controller?.endWithinStep(blockedIn: isBlocked ? taken.code : nil)
  }
}
