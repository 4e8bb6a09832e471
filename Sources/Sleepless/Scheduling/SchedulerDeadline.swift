import Dispatch

/// A relative deadline in GCD's notation, `.now() + 0.3`, which a virtual scheduler can read
/// exactly.
///
/// The deadline stays relative until the scheduler reads it. A `DispatchTime` is an instant of the
/// real clock, from which a virtual scheduler could only estimate the delay.
///
/// ```swift
/// let scheduler: any SchedulerType = TestScheduler(allowsPendingWork: true)
/// scheduler.asyncAfter(deadline: .now() + 0.3) { print("0.3 s later") }
/// ```
public struct SchedulerDeadline: Sendable {
  package let delay: Duration

  /// The instant of the call to the scheduler.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.asyncAfter(deadline: .now() + 1.5) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + .milliseconds(300)) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + 1.5 - 0.5) { print(scheduler.now) }
  /// scheduler.run()  // prints 0.3 seconds, 1.0 seconds, 1.5 seconds
  /// ```
  public static func now() -> SchedulerDeadline { SchedulerDeadline(delay: .zero) }

  /// Returns a deadline later by a number of seconds.
  ///
  /// Not-a-number counts as zero. Delays beyond 292 years, which GCD cannot count, never end.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.asyncAfter(deadline: .now() + 1.5) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + .milliseconds(300)) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + 1.5 - 0.5) { print(scheduler.now) }
  /// scheduler.run()  // prints 0.3 seconds, 1.0 seconds, 1.5 seconds
  /// ```
  public static func + (deadline: SchedulerDeadline, seconds: Double) -> SchedulerDeadline {
    SchedulerDeadline(
      delay: deadline.delay.saturatingAdding(Duration(clampingSeconds: seconds)))
  }

  /// Returns a deadline later by an interval.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.asyncAfter(deadline: .now() + 1.5) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + .milliseconds(300)) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + 1.5 - 0.5) { print(scheduler.now) }
  /// scheduler.run()  // prints 0.3 seconds, 1.0 seconds, 1.5 seconds
  /// ```
  public static func + (
    deadline: SchedulerDeadline, interval: DispatchTimeInterval
  ) -> SchedulerDeadline {
    SchedulerDeadline(delay: deadline.delay.saturatingAdding(Duration(interval)))
  }

  /// Returns a deadline earlier by a number of seconds.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.asyncAfter(deadline: .now() + 1.5) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + .milliseconds(300)) { print(scheduler.now) }
  /// scheduler.asyncAfter(deadline: .now() + 1.5 - 0.5) { print(scheduler.now) }
  /// scheduler.run()  // prints 0.3 seconds, 1.0 seconds, 1.5 seconds
  /// ```
  public static func - (deadline: SchedulerDeadline, seconds: Double) -> SchedulerDeadline {
    deadline + -seconds
  }
}

/// An instant of the clock behind GCD's deadlines; only `DispatchTime` conforms.
public protocol DispatchTimeType: Sendable {
  /// The instant itself.
  var dispatchTime: DispatchTime { get }
}

extension DispatchTime: DispatchTimeType {
  /// The instant itself.
  public var dispatchTime: DispatchTime { self }

  /// The time left until this instant.
  package var delay: Duration {
    guard self != .distantFuture else { return .forever }
    return .left(until: uptimeNanoseconds, at: DispatchTime.now().uptimeNanoseconds)
  }
}

/// An instant of the wall clock; only `DispatchWallTime` conforms.
public protocol DispatchWallTimeType: Sendable {
  /// The instant itself.
  var dispatchWallTime: DispatchWallTime { get }
}

extension DispatchWallTime: DispatchWallTimeType {
  /// The instant itself.
  public var dispatchWallTime: DispatchWallTime { self }

  /// The time left until this instant.
  package var delay: Duration {
    guard self != .distantFuture else { return .forever }
    // The raw values of wall times count down from the largest number.
    return .left(until: 0 &- rawValue, at: 0 &- DispatchWallTime.now().rawValue)
  }
}

extension Duration {
  /// The time left until a deadline, rounded to the delay that the caller probably wrote.
  fileprivate static func left(until deadline: UInt64, at now: UInt64) -> Duration {
    deadline > now ? .simplest(atLeast: .nanoseconds(deadline - now)) : .zero
  }
}
