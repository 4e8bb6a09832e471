/// The job that runs in an actor, or waits there until the actor runs it.
///
/// Another thread may run it: an actor that code outside the simulation uses too runs all its jobs on
/// the thread that entered it first. No other job of the simulation runs meanwhile, unless the job blocks its thread
/// or is held.
struct JobInActor {
  private(set) var job: Job?
  /// The simulation's step in which the job begins. A task may have had another job in the same actor.
  private(set) var step = 0
  /// Whether the job's task has left the actor for another executor.
  var taskHasLeft = false

  @_transparent
  mutating func begin(_ job: Job, in step: Int) {
    self.job = job
    self.step = step
    taskHasLeft = false
  }

  @_transparent
  mutating func end() { job = nil }
}
