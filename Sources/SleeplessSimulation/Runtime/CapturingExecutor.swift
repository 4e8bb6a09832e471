import CRuntimeHooks
import Sleepless

/// An executor that gets hold of all that its tasks do: what they enqueue, where they sleep, and the
/// tasks that they make.
///
/// Tasks hold it, so it lives as long as the last of them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
class CapturingExecutor: TaskExecutor, @unchecked Sendable {
  // Unchecked because of `context`, which is written once, by `init`; subclasses lock what they add.

  /// What the C side knows of this.
  let context: UnsafeMutablePointer<sleepless_context>

  /// `captures` says whether tasks made by its code join it, `hasClocks` whether that code finds its
  /// time in the standard library's clocks.
  init(captures: Bool, hasClocks: Bool) {
    context = .allocate(capacity: 1)
    let executor = unsafeBitCast(asUnownedTaskExecutor(), to: sleepless_executor.self)
    let owner = Unmanaged.passUnretained(self).toOpaque()
    context.initialize(
      to: sleepless_context(
        executor: executor, owner: owner, captures: captures, has_clocks: hasClocks))
    sleepless_begin(context)
  }

  deinit {
    sleepless_end()
    context.deallocate()
  }

  /// The one that captures what the calling code does.
  static var current: CapturingExecutor? {
    sleepless_current_context().map { from($0.pointee.owner) }
  }

  /// Whether this thread runs its jobs.
  var isRunningHere: Bool { sleepless_driven() == UnsafePointer(context) }

  static func from(_ pointer: UnsafeMutableRawPointer) -> CapturingExecutor {
    Unmanaged.fromOpaque(pointer).takeUnretainedValue()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = Job(UnownedJob(job), place: .simulation)
    if !sleepless_holds_back(job.task.address) { admit(job) }
  }

  /// Takes in a job that can run now.
  func admit(_ job: Job) { fatalError("Each capturing executor takes in jobs in its own way.") }

  /// Takes in a job that ends a sleep of the current task in the standard library's clocks.
  func admit(alarm: UnownedJob, after delay: Duration) { admit(Job(alarm, place: .anywhere)) }

  /// Whether the job belongs here.
  func owns(_ job: Job) -> Bool { false }

  /// Notes that a task comes to the main actor, where its jobs have to be recognised.
  func noteOnMain(_ job: Job) {}

  /// A task has been made that belongs here; `comesHere` if it begins here too.
  func taskWasMade(
    _ task: TaskPointer, name: String?, code: UnsafeRawPointer?, context: UnsafeRawPointer?,
    comesHere: Bool
  ) {}

  /// A detached task is to be made that belongs here: makes it as part of another task, whose
  /// task-local values it then gets; or returns false.
  func makeDetached(_ make: @escaping @Sendable () -> Void) -> Bool { false }

  func taskHasEnded(_ task: TaskPointer) {}

  /// What a clock of the standard library shows.
  func reading(of clock: CInt, real: Duration) -> Duration { real }
}
