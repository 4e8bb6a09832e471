import Dispatch

/// A scheduler that does not wait: work runs inline, before the call that schedules it returns.
///
/// For previews, and for tests that do not depend on order or time.
///
/// ```swift
/// let scheduler = ImmediateScheduler()
/// scheduler.schedule(after: .seconds(60)) { print("work") }  // prints work
/// print("after the call")  // prints "after the call"
/// ```
///
/// The scheduler ignores delays and tolerances, and ``now`` is always zero. Repeating work runs
/// once.
///
/// Running work may schedule more work. The new work runs after it, on the same thread, in the
/// order of the calls, and before the outermost call returns, as on a serial queue. A hundred
/// thousand nested calls therefore need no more stack than two. Each thread runs its own work. A
/// token can cancel only work that running work has scheduled.
///
/// Work that schedules itself for ever stops the program, with a message, after a million rounds.
/// Use a test scheduler for such work.
public struct ImmediateScheduler: SchedulerType, LocatedQueue {
  /// Makes a scheduler that does not wait.
  ///
  /// ```swift
  /// let scheduler = ImmediateScheduler()
  /// scheduler.schedule(after: .seconds(60)) { print("work") }  // prints work
  /// print("after the call")  // prints "after the call"
  /// ```
  public init() {}

  /// Runs work at once.
  ///
  /// ```swift
  /// let scheduler = ImmediateScheduler()
  /// scheduler.async {
  ///   scheduler.async { print("second") }
  ///   print("first")
  /// }  // prints first, then second
  /// ```
  @_disfavoredOverload
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    async(at: CallSite(), execute: work)
  }

  package func async(
    at site: CallSite, execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    Trampoline.current.run(at: site) { work() }
  }

  /// Always zero.
  public var now: Duration { .zero }

  /// Runs work at once and returns its result, also when called from running work.
  ///
  /// ```swift
  /// let sum = ImmediateScheduler().sync { 1 + 2 }
  /// print(sum)  // prints 3
  /// ```
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result { try work() }

  /// Runs work at once.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let scheduler = ImmediateScheduler()
  /// scheduler.schedule(after: .seconds(60)) { print("work") }  // prints work
  /// print("after the call")  // prints "after the call"
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    let token = ImmediateWork(work)
    Trampoline.current.run(at: site) { token.run() }
    return token
  }

  /// Runs work at once, and only once. The first call on each line says so on standard error.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let scheduler = ImmediateScheduler()
  /// scheduler.schedule(every: .seconds(1)) { print("tick") }  // prints tick once
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    requirePositive(interval, at: site)
    remark(
      "\(site.filePath):\(site.line): warning: Repeating work runs once on an immediate scheduler. To see it "
        + "repeat, use a test scheduler.")
    return schedule(after: delay, tolerance: tolerance, label: label, at: site, execute: work)
  }
}

extension SchedulerType where Self == ImmediateScheduler {
  /// A scheduler that does not wait.
  ///
  /// ```swift
  /// let scheduler: any SchedulerType = .immediate
  /// scheduler.schedule(after: .seconds(60)) { print("work") }  // prints work
  /// ```
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}

extension DispatchQueueType where Self == ImmediateScheduler {
  /// A queue that does not wait.
  ///
  /// ```swift
  /// let queue: any DispatchQueueType = .immediate
  /// queue.async { print("work") }  // prints work
  /// ```
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}

private final class ImmediateWork: CancellableType {
  private let work: Locked<(@Sendable () -> Void)?>

  init(_ work: @escaping @Sendable () -> Void) { self.work = Locked(work) }

  func run() { work.withLock { $0.take() }?() }

  func cancel() {
    let work = work.withLock { $0.take() }
    withExtendedLifetime(work) {}  // released after unlocking
  }
}

/// Runs the immediate work of a thread one after another instead of nested.
final class Trampoline {
  private static let local = ThreadLocal { Trampoline() }

  static var current: Trampoline { local.value }

  static let limit = 1_000_000

  /// In the order of the calls. The closure is nil after it has run.
  private var waiting: [(site: CallSite, work: (@Sendable () -> Void)?)] = []
  private var isRunning = false

  func run(at site: CallSite, _ work: @escaping @Sendable () -> Void) {
    guard !isRunning else { return waiting.append((site, work)) }
    isRunning = true
    work()
    var next = 0
    while next < waiting.count {
      guard next < Self.limit else {
        misuse(
          "One call on an immediate scheduler led to a million pieces of work, and more follow. "
            + "This scheduler never waits, so work that schedules itself again never ends. "
            + "Use a test scheduler, or a repeating interval, which runs once here.",
          at: waiting[next].site)
      }
      waiting[next].work.take()?()
      next += 1
    }
    waiting.removeAll()
    isRunning = false
  }
}
