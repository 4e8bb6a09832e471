import CRuntimeHooks
import Sleepless

/// The job of a task that runs before the task that has woken it goes on.
struct WokenJob {
  let job: Job
  /// The job of the waker, which is held meanwhile.
  let waker: RunningJob
  /// The function in which the woken task is suspended; 0 if unknown.
  let function: UInt
  /// Whether the schedule is a replay.
  let isRecorded: Bool
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// Takes the job that the running task has just made ready by waking or creating another task, if the strategy
  /// runs it before the running task goes on.
  ///
  /// Only a job that runs on no actor is taken: the waker may be on an actor, which must not get a second
  /// job. A task whose sleep has been cancelled is not taken either, because the job that ends its sleep
  /// comes after its own.
  mutating func takeWoken(_ task: TaskPointer) -> WokenJob? {
    guard case .running = phase, let controller, !missesTasks, !isWakerHeld,
      let waker = running.task, waker != task, TaskPointer.current == waker,
      let last = ready.last, last.task == task, case .simulation = last.place,
      let entry = tasks.find(task)
    else { return nil }
    var function: UInt = 0
    let isFirst = controller.takesWoken(entry.pointee.number, at: now) {
      function = suspendedFrames(of: task).first ?? 0
      return function
    }
    guard isFirst else { return nil }
    let woken = WokenJob(
      job: ready.takeLast(), waker: running, function: function,
      isRecorded: controller.isReplaying)
    isWakerHeld = true
    steps += 1
    if !helpers.isAnyRunning || !helpers.isOwn(woken.job) { helpers.lastChange = steps }
    if watchers.isAny, let report = suspension(of: task)?.report { watchers.noteWoken(report) }
    running = RunningJob()
    running.begin(task, entry, isOnMain: false)
    entry.pointee.run(at: now)
    if options.recordsSteps { trace.append(StepRecord(task: entry.pointee.number, instant: now)) }
    return woken
  }

  /// Notes that the waker goes on: the woken task has been suspended, or it blocks its thread. A task that
  /// blocks its thread counts as one that runs on another executor.
  mutating func endWoken(_ woken: WokenJob, isBlocked: Bool) {
    // It may have blocked its thread by a call that takes virtual time just when it was given up.
    let isBlocked = isBlocked && blocked[woken.job.task] == nil
    if isBlocked {
      if let entry = tasks.find(woken.job.task) { tasks.moveElsewhere(entry) }
    } else {
      endRunningJob()
    }
    running = woken.waker
    isWakerHeld = false
    controller?.endWoken(blockedIn: isBlocked ? woken.function : nil)
  }
}
