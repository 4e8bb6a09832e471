import Dispatch

/// A deadline as GCD's users write it, `.now() + 0.3`, that a scheduler in virtual time can read.
///
/// It stays relative until the scheduler gets it. A `DispatchTime` would by then be an instant of
/// the real clock, and a virtual scheduler could only guess what was meant.
public struct SchedulerDeadline: Sendable {
  package let delay: Duration

  /// The instant at which the scheduler is asked.
  public static func now() -> SchedulerDeadline { SchedulerDeadline(delay: .zero) }

  /// Returns the deadline that many seconds later; not-a-number counts as zero,
  /// and what GCD cannot count, 292 years, as for ever.
  public static func + (deadline: SchedulerDeadline, seconds: Double) -> SchedulerDeadline {
    SchedulerDeadline(
      delay: deadline.delay.saturatingAdding(Duration(clampingSeconds: seconds)))
  }

  /// Returns the deadline that much later.
  public static func + (
    deadline: SchedulerDeadline, interval: DispatchTimeInterval
  ) -> SchedulerDeadline {
    SchedulerDeadline(delay: deadline.delay.saturatingAdding(Duration(interval)))
  }

  /// Returns the deadline that many seconds earlier.
  public static func - (deadline: SchedulerDeadline, seconds: Double) -> SchedulerDeadline {
    deadline + -seconds
  }
}

/// An instant of the clock that GCD measures deadlines with; `DispatchTime` is the one there is.
public protocol DispatchTimeType: Sendable {
  /// The instant itself.
  var dispatchTime: DispatchTime { get }
}

extension DispatchTime: DispatchTimeType {
  /// The instant itself.
  public var dispatchTime: DispatchTime { self }

  /// How long it is until this instant, as the caller may have meant it.
  package var delay: Duration {
    guard self != .distantFuture else { return .forever }
    let now = DispatchTime.now().uptimeNanoseconds
    guard uptimeNanoseconds > now else { return .zero }
    return .simplest(atLeast: .nanoseconds(uptimeNanoseconds - now))
  }
}

/// An instant of the wall clock; `DispatchWallTime` is the one there is.
public protocol DispatchWallTimeType: Sendable {
  /// The instant itself.
  var dispatchWallTime: DispatchWallTime { get }
}

extension DispatchWallTime: DispatchWallTimeType {
  /// The instant itself.
  public var dispatchWallTime: DispatchWallTime { self }

  /// How long it is until this instant, as the caller may have meant it.
  package var delay: Duration {
    guard self != .distantFuture else { return .forever }
    // Wall times count down from the top.
    let now = 0 &- DispatchWallTime.now().rawValue
    let deadline = 0 &- rawValue
    guard deadline > now else { return .zero }
    return .simplest(atLeast: .nanoseconds(deadline - now))
  }
}
