/// How an exploration chooses, schedule by schedule, who runs next.
///
/// The default takes turns between several; which one finds a bug soonest differs from bug to bug.
public struct ExplorationStrategy: Sendable {
  let make: @Sendable () -> any Strategy
  /// Whether it tries every schedule once, and stops when there is none left.
  package let isExhaustive: Bool

  init(isExhaustive: Bool = false, _ make: @escaping @Sendable () -> any Strategy) {
    self.isExhaustive = isExhaustive
    self.make = make
  }

  /// Takes turns between ``uniform``, ``pct(depth:)``, ``pos``, ``remainingWork`` and
  /// ``delayBounded(_:)``.
  public static var portfolio: Self { Self { Portfolio.standard() } }

  /// First come, first served: the one order in which a simulation runs that nobody explores.
  public static var firstCome: Self { Self { FirstCome() } }

  /// Any of those that can run, each as likely as the others.
  public static var uniform: Self { Self { Uniform() } }

  /// The task with the highest priority, drawn at random; at `depth` - 1 choices it drops below all.
  ///
  /// A bug that takes `depth` orderings, in a program of n tasks and k choices, appears in each
  /// schedule with a chance of at least 1 / (n · k^(depth - 1)). k is learnt from earlier schedules.
  /// A depth below 1 means 1.
  public static func pct(depth: Int = 3) -> Self { Self { PriorityChanges(depth: max(depth, 1)) } }

  /// The job with the highest priority, which each draws when it comes to be able to run.
  public static var pos: Self { Self { PartialOrderSampling() } }

  /// Any of those that can run, each as likely as the work that it still has to do is long.
  public static var remainingWork: Self { Self { RemainingWork() } }

  /// The usual order, but at up to so many choices whoever would be next has to wait.
  public static func delayBounded(_ delays: Int = 2) -> Self {
    Self { DelayBounded(delays: max(delays, 1)) }
  }

  /// Every schedule once, until there is none left: for small programs.
  public static var exhaustive: Self { exhaustive(switches: .max) }

  /// Every schedule once that leaves the usual order at most so often.
  public static func exhaustive(switches: Int) -> Self {
    Self(isExhaustive: true) { Exhaustive(switchLimit: max(switches, 0)) }
  }
}
