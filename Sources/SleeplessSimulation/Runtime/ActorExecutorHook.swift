import CRuntimeHooks

/// How tasks of simulations come to an actor: to its simulation first, which lets them in one by one
/// as their turns come, and so in an order that nobody else who uses the actor can change.
///
/// There is no object of this class but one, which is never used: only its table of functions is
/// known to the runtime, beside an actor as the object. See `Actors.c`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class ActorExecutorHook: SerialExecutor {
  private static let implementation = unsafeBitCast(
    ActorExecutorHook().asUnownedSerialExecutor(), to: sleepless_executor.self
  ).implementation

  /// Has tasks of simulations come here from now on.
  static func open(exitExecutor: some SerialExecutor) {
    let exitExecutor = unsafeBitCast(
      exitExecutor.asUnownedSerialExecutor(), to: sleepless_executor.self)
    _ = sleepless_install_actor_hook(implementation, exitExecutor)
  }

  /// An actor, as tasks of simulations know it.
  static func executor(of actor: ActorPointer) -> sleepless_executor {
    sleepless_executor(identity: actor.address, implementation: implementation)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    // Not one of these: the actor. Nothing of it may be used here.
    let actor = ActorPointer(unsafeBitCast(self, to: UnsafeRawPointer.self))
    let job = Job(UnownedJob(job), place: .actor(actor))
    if sleepless_holds_back(job.task.address) { return }
    // Mostly it belongs where it is made able to run.
    if let running = SimulationExecutor.running, running.admitIfOwn(job) { return }
    if let owner = SimulationExecutor.owner(of: job.task), owner.admitIfOwn(job) { return }
    sleepless_leave_to_actor(job.task.address, actor.address)
  }
}
