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
/// print(exploration)  // such as "all 35 schedules explored, none failed"
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
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static var portfolio: Self { Self { Portfolio.standard() } }

  /// First come, first served: the order of a simulation without exploration.
  ///
  /// ```swift
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static var firstCome: Self { Self { FirstCome() } }

  /// Any job that can run, each as likely as the others.
  ///
  /// ```swift
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static var uniform: Self { Self { Uniform() } }

  /// The task with the highest priority. Priorities are random; at `depth` - 1 choices one drops to the end.
  ///
  /// A bug that takes `depth` orderings, in a program of n tasks and k choices, appears in each
  /// schedule with a chance of at least 1 / (n · k^(depth - 1)). k is taken from earlier schedules.
  /// A depth below 1 means 1.
  ///
  /// ```swift
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static func pct(depth: Int = 3) -> Self { Self { PriorityChanges(depth: max(depth, 1)) } }

  /// The job with the highest priority. Each job gets a random priority when it becomes able to run.
  ///
  /// ```swift
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static var pos: Self { Self { PartialOrderSampling() } }

  /// Any task that can run, with a chance in proportion to the work that it still has to do.
  ///
  /// ```swift
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static var remainingWork: Self { Self { RemainingWork() } }

  /// The default order, except that at up to `delays` choices the next job has to wait.
  ///
  /// ```swift
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static func delayBounded(_ delays: Int = 2) -> Self {
    Self { DelayBounded(delays: max(delays, 1)) }
  }

  /// The default order or any job that can run, except that some tasks run before the task that woke or
  /// created them takes its next statement, as on another thread. They run up to their next suspension.
  ///
  /// Only tasks that run on no actor are run first. It needs Linux, where the process is captured.
  ///
  /// ```swift
  /// let strategies: [ExplorationStrategy] = [
  ///   .portfolio, .firstCome, .uniform, .pct(depth: 3), .pos, .remainingWork, .delayBounded(2),
  ///   .wokenFirst,
  /// ]
  /// for strategy in strategies {
  ///   let exploration = try await explore(schedules: 20, strategy: strategy) { await Task.yield() }
  ///   #expect(exploration.failed == 0)
  /// }
  /// ```
  public static var wokenFirst: Self { Self { WokenFirst() } }

  /// Every order of steps once, until none is left: for small programs. Between two suspensions of a task no other
  /// task runs; see ``wokenFirst``.
  ///
  /// ```swift
  /// let orders = Locked<Set<[Int]>>([])
  /// let exploration = try await explore(strategy: .exhaustive(switches: 1)) {
  ///   let log = Locked<[Int]>([])
  ///   async let first: Void = log.withLock { $0.append(1) }
  ///   async let second: Void = log.withLock { $0.append(2) }
  ///   _ = await (first, second)
  ///   orders.withLock { _ = $0.insert(log.withLock { $0 }) }
  /// }
  /// #expect(exploration.isComplete && orders.withLock { $0 } == [[1, 2], [2, 1]])
  /// ```
  public static var exhaustive: Self { exhaustive(switches: .max) }

  /// Every schedule once that departs from the default order at most `switches` times.
  ///
  /// ```swift
  /// let orders = Locked<Set<[Int]>>([])
  /// let exploration = try await explore(strategy: .exhaustive(switches: 1)) {
  ///   let log = Locked<[Int]>([])
  ///   async let first: Void = log.withLock { $0.append(1) }
  ///   async let second: Void = log.withLock { $0.append(2) }
  ///   _ = await (first, second)
  ///   orders.withLock { _ = $0.insert(log.withLock { $0 }) }
  /// }
  /// #expect(exploration.isComplete && orders.withLock { $0 } == [[1, 2], [2, 1]])
  /// ```
  public static func exhaustive(switches: Int) -> Self {
    Self(isExhaustive: true) { Exhaustive(switchLimit: max(switches, 0)) }
  }
}
