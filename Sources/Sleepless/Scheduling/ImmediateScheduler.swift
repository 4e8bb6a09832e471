import Dispatch

/// A scheduler that does not wait: work runs inline, before the call that schedules it returns.
///
/// For previews, and for tests in which order and time do not matter.
///
/// ```swift
/// ImmediateScheduler().schedule(after: .seconds(60)) { append("a minute later") }
/// #expect(log == ["a minute later"])
/// ```
///
/// Delays and tolerances are ignored and ``now`` is always zero. Repeating work runs once: there is
/// no time in which it could repeat. Work that is scheduled by running work runs after it, on the
/// same thread, in the order of the calls and before the outermost call returns, as on a queue;
/// that is also why a hundred thousand nested calls need no more stack than two. Each thread runs
/// its own work. Tokens have nothing left to cancel, except for work scheduled from within work.
///
/// Work that schedules itself for ever stops the program, with a text, after a million rounds; use
/// a test scheduler for it.
public struct ImmediateScheduler: SchedulerType {
  /// Makes a scheduler that does not wait.
  public init() {}

  /// Runs work at once.
  @_disfavoredOverload
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    Trampoline.current.run { work() }
  }

  /// Always zero.
  public var now: Duration { .zero }

  /// Runs work at once and returns its result, even from within work.
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result { try work() }

  /// Runs work at once.
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    let token = ImmediateWork(work)
    Trampoline.current.run { token.run() }
    return token
  }

  /// Runs work at once, and only once.
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    requirePositive(interval, at: site)
    return schedule(after: delay, tolerance: tolerance, label: label, at: site, execute: work)
  }
}

extension SchedulerType where Self == ImmediateScheduler {
  /// A scheduler that does not wait.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}

extension DispatchQueueType where Self == ImmediateScheduler {
  /// A queue that does not wait.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}

private final class ImmediateWork: CancellableType {
  private let work: Locked<(@Sendable () -> Void)?>

  init(_ work: @escaping @Sendable () -> Void) { self.work = Locked(work) }

  func run() { work.withLock { $0.take() }?() }

  func cancel() {
    let work = work.withLock { $0.take() }
    _ = work
  }
}

/// Runs a thread's immediate work one after another instead of one within another.
final class Trampoline {
  private static let local = ThreadLocal { Trampoline() }

  static var current: Trampoline { local.value }

  static let limit = 1_000_000

  private var waiting: [@Sendable () -> Void] = []
  private var isRunning = false

  func run(_ work: @escaping @Sendable () -> Void) {
    guard !isRunning else { return waiting.append(work) }
    isRunning = true
    work()
    var next = 0
    while next < waiting.count {
      guard next < Self.limit else {
        fatalError(
          "A million pieces of work followed from one call on an immediate scheduler, and more "
            + "keep coming. Work that schedules itself again never ends where nothing waits: "
            + "use a test scheduler, or a repeating interval, which runs once here.")
      }
      waiting[next]()
      next += 1
    }
    waiting.removeAll()
    isRunning = false
  }
}
