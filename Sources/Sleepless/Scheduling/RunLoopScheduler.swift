import Dispatch
import Foundation

/// A run loop as a scheduler: `RunLoop.main.scheduler`.
///
/// A `RunLoop` itself cannot conform: Foundation declares that it is not `Sendable`. Its `perform`
/// and `add(_:forMode:)` are safe from any thread, and this type uses nothing else. Work runs in
/// the common modes.
public struct RunLoopScheduler: SchedulerType, @unchecked Sendable {
  private let runLoop: RunLoop

  /// Makes a scheduler of a run loop.
  public init(_ runLoop: RunLoop) { self.runLoop = runLoop }

  /// Enqueues work for the loop's next turn, and wakes it.
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    runLoop.perform(inModes: [.common], block: work)
    // `perform` alone lets a sleeping loop sleep on; a timer that is due wakes it.
    runLoop.add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .common)
  }

  /// The system's uptime.
  public var now: Duration { .uptime }

  /// Runs work in the loop and waits until it has run; on the loop's own thread, at once.
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    guard runLoop !== RunLoop.current else { return try work() }
    return try waitForResult(
      of: work,
      by: { work in
        let done = DispatchSemaphore(value: 0)
        async {
          work()
          done.signal()
        }
        done.wait()
      },
      rescue: { throw $0 })
  }

  /// Runs work in the loop once, after a delay.
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchTimer(
      after: delay, every: nil, tolerance: tolerance, on: .global(),
      deliver: { work in self.async { work() } }, execute: work)
  }

  /// Runs work in the loop again and again.
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    requirePositive(interval, at: site)
    return DispatchTimer(
      after: delay, every: interval, tolerance: tolerance, on: .global(),
      deliver: { work in self.async { work() } }, execute: work)
  }
}

extension RunLoop {
  /// This run loop as a scheduler.
  public var scheduler: RunLoopScheduler { RunLoopScheduler(self) }
}
