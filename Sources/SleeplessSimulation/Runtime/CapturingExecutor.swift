import CRuntimeHooks
import Sleepless

/// An executor that captures what its tasks do: the jobs that they enqueue, their sleeps, and the tasks
/// that they create.
///
/// Tasks retain it, so it lives as long as the last of them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
class CapturingExecutor: TaskExecutor, @unchecked Sendable {
  // Unchecked because of `context`, which only `init` writes. Subclasses lock what they add.

  /// The facts about the executor that the C code needs.
  let context: UnsafeMutablePointer<sleepless_context>

  /// `captures` says whether tasks that its code creates join it; `hasClocks` whether the standard
  /// library's clocks show its time to that code.
  init(captures: Bool, hasClocks: Bool) {
    context = .allocate(capacity: 1)
    let executor = unsafeBitCast(asUnownedTaskExecutor(), to: sleepless_executor.self)
    let owner = Unmanaged.passUnretained(self).toOpaque()
    context.initialize(
      to: sleepless_context(
        executor: executor, owner: owner, number: 0, captures: captures, has_clocks: hasClocks,
        follows_queues: false, crash_record: 0, main_run_loop_sources: 0,
        signal_handlers: (0, 0, 0, 0), system_timers: (0, 0, 0, 0)))
    sleepless_begin(context)
  }

  deinit {
    sleepless_end()
    context.deallocate()
  }

  /// The executor that captures what the calling code does.
  static var current: CapturingExecutor? {
    sleepless_current_context().map { from($0.pointee.owner) }
  }

  /// Whether this thread runs its code.
  var isRunningHere: Bool { sleepless_runs_here(context) }

  static func from(_ pointer: UnsafeMutableRawPointer) -> CapturingExecutor {
    Unmanaged.fromOpaque(pointer).takeUnretainedValue()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = Job(UnownedJob(job), place: .simulation)
    if !sleepless_takes_first_job(job.task.address) { admit(job, onlyIfOwn: false) }
  }

  /// Admits a job that can run now; `onlyIfOwn` refuses a job for which `owns` is false.
  @discardableResult
  func admit(_ job: Job, onlyIfOwn: Bool) -> Bool {
    fatalError("Each subclass of CapturingExecutor must override admit(_:onlyIfOwn:).")
  }

  /// Admits the job that ends a sleep of the current task in the standard library's clocks.
  func admit(alarm: UnownedJob, after delay: Duration) {
    admit(Job(alarm, place: .anywhere), onlyIfOwn: false)
  }

  /// Whether a job belongs here.
  func owns(_ job: Job) -> Bool { false }

  /// Notes that a task uses the main actor, so that the main executor recognises its jobs.
  func noteOnMain(_ job: Job) {}

  /// Adds a task that has been created; `startsHere` if its first job comes here too.
  func taskWasMade(
    _ task: TaskPointer, name: String?, code: UnsafeRawPointer?, context: UnsafeRawPointer?,
    startsHere: Bool
  ) {}

  /// Calls `make`, which creates a detached task, in another task, whose task-local values the detached
  /// task then gets; or returns false.
  func makeDetached(_ make: @escaping @Sendable () -> Void) -> Bool { false }

  /// Removes a task that has ended, `byError` if its function has thrown.
  func taskHasEnded(_ task: TaskPointer, byError: Bool) {}

  /// Notes that the running code calls `cancel()` of a task.
  func taskIsCancelled(_ task: TaskPointer) {}

  /// What a clock shows to code that the executor runs; nil for its real time.
  func reading(of clock: CInt) -> Duration? { nil }
}
