/// The job that the driver took last, from then until the driver decides on its next step; or the job of a
/// task that runs within the step of a held one.
struct RunningJob {
  /// The task of the job; for a job that is no task, the address of the job.
  private(set) var task: TaskPointer?
  /// The task's entry in the table; nil if the job is no task, or if the task has ended.
  private(set) var entry: TaskTable.EntryPointer?
  /// Whether it runs on the main actor's thread. A job that then empties an actor's own queue does not.
  var isOnMain = false
  /// Whether the task has been enqueued in the simulation again.
  var isReadyAgain = false

  /// Whether it is a job of this task. Compares no optionals, because that is generic code, which is slow in a
  /// debug build.
  @_transparent
  func isOf(_ task: TaskPointer) -> Bool {
    guard let own = self.task else { return false }
    return own == task
  }

  @_transparent
  mutating func begin(_ task: TaskPointer, _ entry: TaskTable.EntryPointer?, isOnMain: Bool) {
    self.task = task
    self.entry = entry
    self.isOnMain = isOnMain
  }

  /// Notes that the job runs no longer.
  @_transparent
  mutating func end() {
    task = nil
    entry = nil
  }

  /// Notes that a task has ended: its entry is about to be freed.
  mutating func taskHasEnded(_ task: TaskPointer) {
    if isOf(task) { entry = nil }
  }
}
