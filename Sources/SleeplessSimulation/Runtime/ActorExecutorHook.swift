import CRuntimeHooks

/// The executor that the runtime uses when a task of a simulation enters an actor.
///
/// The task's job comes to its simulation first. The simulation admits jobs to the actor one by one, in an
/// order that other users of the actor cannot change.
///
/// The one object of this class is never used. The runtime knows only the class's table of functions, and
/// passes an actor as the object. See `Actors.c`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class ActorExecutorHook: SerialExecutor {
  private static let implementation = unsafeBitCast(
    ActorExecutorHook().asUnownedSerialExecutor(), to: sleepless_executor.self
  ).implementation

  /// Makes the runtime send tasks of simulations here from now on.
  static func install(exitExecutor: some SerialExecutor) {
    let exitExecutor = unsafeBitCast(
      exitExecutor.asUnownedSerialExecutor(), to: sleepless_executor.self)
    sleepless_install_actor_hook(implementation, exitExecutor)
  }

  /// An actor under the table of functions of this class.
  static func executor(of actor: ActorPointer) -> sleepless_executor {
    sleepless_executor(identity: actor.address, implementation: implementation)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    // `self` is an actor and no object of this class, so none of its members may be used.
    let actor = ActorPointer(unsafeBitCast(self, to: UnsafeRawPointer.self))
    let job = Job(UnownedJob(job), place: .actor(actor))
    if sleepless_takes_first_job(job.task.address) || sleepless_takes_kept_job(job.task.address) {
      return
    }
    // Mostly the simulation that makes the job able to run owns it.
    if let running = SimulationExecutor.running, running.admit(job, onlyIfOwn: true) { return }
    if let owner = SimulationExecutor.owner(of: job.task), owner.admit(job, onlyIfOwn: true) {
      return
    }
    sleepless_enqueue_in_actor(job.task.address, actor.address)
  }
}
