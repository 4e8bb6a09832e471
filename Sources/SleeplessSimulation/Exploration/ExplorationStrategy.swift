/// The rule by which an exploration chooses the next job in each schedule.
///
/// The default takes turns between several rules, because the rule that finds a bug soonest differs from
/// bug to bug.
///
/// ```swift
/// let exploration = try await explore(strategy: .exhaustive) {
///   async let first: Void = Task.yield()
///   async let second: Void = Task.yield()
///   _ = await (first, second)
/// }
/// print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
/// ```
public struct ExplorationStrategy: Sendable {
  let make: @Sendable () -> any Strategy
  /// Whether it tries every schedule once, and stops when none is left.
  package let isExhaustive: Bool

  init(isExhaustive: Bool = false, _ make: @escaping @Sendable () -> any Strategy) {
    self.isExhaustive = isExhaustive
    self.make = make
  }

  /// Takes turns between ``uniform``, ``pct(depth:)``, ``pos``, ``remainingWork``, ``delayBounded(_:)`` and
  /// ``wokenFirst``.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .portfolio) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static var portfolio: Self { Self { Portfolio.standard() } }

  /// First come, first served: the order of a simulation without exploration.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .firstCome) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static var firstCome: Self { Self { FirstCome() } }

  /// Any job that can run, each as likely as the others.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .uniform) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static var uniform: Self { Self { Uniform() } }

  /// The task with the highest priority. Priorities are random; at `depth` - 1 choices one drops to the end.
  ///
  /// A bug that takes `depth` orderings, in a program of n tasks and k choices, appears in each
  /// schedule with a chance of at least 1 / (n · k^(depth - 1)). k is taken from earlier schedules.
  /// A depth below 1 means 1.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .pct(depth: 3)) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static func pct(depth: Int = 3) -> Self { Self { PriorityChanges(depth: max(depth, 1)) } }

  /// The job with the highest priority. Each job gets a random priority when it becomes able to run.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .pos) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static var pos: Self { Self { PartialOrderSampling() } }

  /// Any task that can run, with a chance in proportion to the work that it still has to do.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .remainingWork) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static var remainingWork: Self { Self { RemainingWork() } }

  /// The default order (see ``exhaustive(switches:)``), except that the next job has to wait at up to `delays` choices.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .delayBounded(2)) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static func delayBounded(_ delays: Int = 2) -> Self {
    Self { DelayBounded(delays: max(delays, 1)) }
  }

  /// Also runs tasks in the middle of another task's step, as another thread may do.
  ///
  /// It stops some tasks right after they have woken or created another one, and some right before a `sync` or a wait
  /// for a semaphore. Other tasks then run, each up to its next suspension, and the stopped task goes on. At all other
  /// choices a schedule takes either the usual order or any job that can run.
  ///
  /// A task runs there in an actor only if no other task is in that actor or in line for it. None is taken to run there
  /// on the main actor, on an executor of the program's own, on the main queue, or on a queue that targets it. A call
  /// such as `NSLock.lock()` is no such place. Tasks are stopped on Linux only, where the process is captured.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20, strategy: .wokenFirst) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.failed == 0)
  /// ```
  public static var wokenFirst: Self { Self { WokenFirst() } }

  /// Every order of whole steps once, until none is left: for small programs. Between two suspensions of a task no other
  /// task runs, unless the task blocks its thread; see ``wokenFirst``.
  ///
  /// ```swift
  /// let exploration = try await explore(strategy: .exhaustive) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
  /// ```
  public static var exhaustive: Self { exhaustive(switches: .max) }

  /// Every order of whole steps once that departs from the default order at most `switches` times. By default the task
  /// that ran last goes on; if it cannot, the job runs that has waited longest.
  ///
  /// ```swift
  /// let orders = Recorder<[Int], Never>("orders")
  /// let exploration = try await explore(strategy: .exhaustive(switches: 1)) {
  ///   let log = Recorder<Int, Never>("log")
  ///   async let first: Void = log.record(1)
  ///   async let second: Void = log.record(2)
  ///   _ = await (first, second)
  ///   orders.record(log.all())
  /// }
  /// #expect(exploration.isComplete && Set(orders.all()) == [[1, 2], [2, 1]])
  /// ```
  public static func exhaustive(switches: Int) -> Self {
    Self(isExhaustive: true) { Exhaustive(switchLimit: max(switches, 0)) }
  }
}
