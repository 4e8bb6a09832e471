import Dispatch
import Foundation

/// A scheduler for a run loop: `RunLoop.main.scheduler`.
///
/// `RunLoop` itself cannot conform, because Foundation declares that it is not `Sendable`. Its
/// `perform` and `add(_:forMode:)` are safe from any thread, and this type uses nothing else. Work
/// runs in the common modes.
///
/// ```swift
/// let scheduler: any SchedulerType = RunLoop.main.scheduler
/// ```
public struct RunLoopScheduler: SchedulerType, @unchecked Sendable {
  private let runLoop: RunLoop

  /// Makes a scheduler for a run loop.
  ///
  /// ```swift
  /// let scheduler = RunLoopScheduler(.main)
  /// scheduler.async { print("work") }
  /// print("called")  // prints called, and in the next iteration of the run loop, work
  /// ```
  public init(_ runLoop: RunLoop) { self.runLoop = runLoop }

  /// Enqueues work for the run loop's next iteration and wakes the run loop.
  ///
  /// No work runs while no code runs the run loop. On Linux no code runs `RunLoop.main` in a Swift Testing test, unless
  /// the test has the trait `.simulated`.
  ///
  /// ```swift
  /// let scheduler = RunLoopScheduler(.main)
  /// scheduler.async { print("work") }
  /// print("called")  // prints called, and in the next iteration of the run loop, work
  /// ```
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    runLoop.perform(inModes: [.common], block: work)
    // `perform` does not wake a sleeping run loop; a timer that is due does.
    runLoop.add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .common)
  }

  /// The system's uptime.
  public var now: Duration { .uptime }

  /// Runs work in the run loop and waits until it has run; on the run loop's own thread, runs it at
  /// once.
  ///
  /// ```swift
  /// let scheduler = RunLoopScheduler(.current)
  /// let sum = scheduler.sync { 1 + 2 }  // on its own thread, a plain call
  /// print(sum)  // prints 3
  /// ```
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

  /// Runs work in the run loop once, after a delay.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let scheduler = RunLoopScheduler(.main)
  /// scheduler.schedule(after: .seconds(2)) { print("hidden") }
  /// try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchTimer(
      after: delay, every: nil, tolerance: tolerance, on: .global(),
      deliver: { work in self.async { work() } }, execute: work)
  }

  /// Runs work in the run loop after a delay and then at every interval.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let scheduler = RunLoopScheduler(.main)
  /// let polling = scheduler.schedule(after: .zero, every: .seconds(10)) { print("poll") }
  /// try await Task.sleep(for: .seconds(15))  // prints poll twice: at once and after 10 seconds
  /// polling.cancel()
  /// ```
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
  /// A scheduler for this run loop.
  public var scheduler: RunLoopScheduler { RunLoopScheduler(self) }
}
