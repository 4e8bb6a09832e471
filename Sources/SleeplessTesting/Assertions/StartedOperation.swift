import Sleepless
import SleeplessSimulation

/// An operation that a test has started: checks that it runs, how it ends, and that cancelling ends it.
///
/// ```swift
/// let search = StartedOperation("search") { try await model.search("swift") }
/// await search.expectRunning(during: .seconds(5))
/// await search.expectCancellation(within: .zero)
/// ```
///
/// The operation begins at once, in a task of its own, isolated as the test is. An operation that still
/// runs at the end of the test is cancelled and fails the test, if the end is known (see
/// <doc:EndOfATest>).
public final class StartedOperation<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case running
    case ended(Result<Value, any Error>)
  }

  private let name: String?
  private let site: CallSite
  private let reporter: Reporter
  private let state: Locked<State>
  private let task: Task<Void, Never>

  /// Starts an operation.
  ///
  /// It begins at once, in a task of its own. The name is for failures.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let operation = StartedOperation("search") { try await search("swift") }
  /// let call = try await search.entered()
  /// #expect(operation.isRunning)
  /// call.succeed(with: 3)
  /// #expect(try await operation.expectFinish() == 3)
  /// #expect(!operation.isRunning)
  /// ```
  public init(
    _ name: String? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    @_inheritActorContext @_implicitSelfCapture
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    self.name = name
    self.site = site
    let reporter = Reporter(at: site)
    self.reporter = reporter
    let state = Locked(State.running)
    self.state = state
    let task = Task(name: name) {
      let result: Result<Value, any Error>
      do { result = .success(try await operation()) } catch { result = .failure(error) }
      state.withLock { $0 = .ended(result) }
      ChangeNotifier.somethingHappened()
    }
    self.task = task
    let isRunning = { @Sendable in
      if case .running = state.withLock({ $0 }) { true } else { false }
    }
    reporter.atEndOfTest(mayChange: isRunning) {
      guard isRunning() else { return }
      task.cancel()
      reporter.tellLeftover(
        """
        The operation\(name.map { " \"\($0)\"" } ?? "") was still running at the end of the test, \
        and has been cancelled.
        Wait for it with expectFinish(), or cancel it with expectCancellation().
        """)
    }
  }

  /// Whether the operation has not ended.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let operation = StartedOperation("search") { try await search("swift") }
  /// let call = try await search.entered()
  /// #expect(operation.isRunning)
  /// call.succeed(with: 3)
  /// #expect(try await operation.expectFinish() == 3)
  /// #expect(!operation.isRunning)
  /// ```
  public var isRunning: Bool { result == nil }

  private var result: Result<Value, any Error>? {
    if case .ended(let result) = state.withLock({ $0 }) { result } else { nil }
  }

  /// Waits until the operation has ended, and returns its value.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let operation = StartedOperation("search") { try await search("swift") }
  /// let call = try await search.entered()
  /// #expect(operation.isRunning)
  /// call.succeed(with: 3)
  /// #expect(try await operation.expectFinish() == 3)
  /// #expect(!operation.isRunning)
  /// ```
  ///
  /// - Parameters:
  ///   - limit: How long it may take from now on, as in `eventually`.
  ///   - isolation: The caller's isolation.
  ///   - fileID: The caller's file, for failures.
  ///   - filePath: The caller's path, for failures.
  ///   - line: The caller's line, for failures.
  ///   - column: The caller's column, for failures.
  /// - Throws: What the operation throws, or an error that ends the test without a second failure.
  @discardableResult
  public func expectFinish(
    within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let plan = ConditionWaiter.Plan(
      call: "expectFinish", description: name, evaluator: ConditionEvaluator(.becoming),
      limit: limit,
      expectation: "the operation to finish", shortfall: "it kept running",
      advice: "Does it wait for something that the test has to do, such as moving time?")
    let waiter = ConditionWaiter(checking: plan, at: site)
    let result = await waiter?.evaluate(nil, isolation: isolation) { evaluate() }
    guard let result else { throw reporter.reportedError }
    return try result.get()
  }

  /// Fails the test unless the operation runs now and for a time.
  ///
  /// In a simulation, everything that can run at this instant runs first; then virtual time moves on by
  /// the duration. Elsewhere the duration is real time.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let load = StartedOperation("load") { try await Task.sleep(for: .seconds(3)) }
  /// await load.expectRunning(during: .seconds(2))
  /// try await load.expectFinish(within: .seconds(1))  // 3 s of virtual time after the start
  /// ```
  public func expectRunning(
    during duration: Duration = .zero, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard duration >= .zero else {
      return Reporter(at: site).fail(
        "expectRunning: the duration must not be negative (was \(duration.shortDescription)).")
    }
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      await simulation.advance(by: .zero)
    }
    let plan = ConditionWaiter.Plan(
      call: "expectRunning", description: name, evaluator: ConditionEvaluator(.holding(duration)),
      limit: nil,
      expectation: duration == .zero
        ? "the operation to be running"
        : "the operation to be running for \(duration.shortDescription)",
      shortfall: "it had ended", fulfilled: "running")
    let waiter = ConditionWaiter(plan, at: site)
    await waiter.evaluate(nil, isolation: isolation) {
      result.map { .unfulfilled("over: it \(Self.text(of: $0))") } ?? Evaluation.fulfilled(())
    }
  }

  /// Cancels the operation, and fails the test if it does not end.
  ///
  /// It may end with `CancellationError`, another error or a value: the test checks the result.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let load = StartedOperation("load") { try await Task.sleep(for: .seconds(60)) }
  /// let end = await load.expectCancellation(within: .zero)
  /// #expect(throws: CancellationError.self) { try end?.get() }
  /// ```
  ///
  /// - Parameters:
  ///   - limit: How soon it has to end. In a simulation that is virtual time, and zero means at this
  ///     instant. Elsewhere it is real time, scaled with the hang timeout, and zero is ignored.
  ///   - isolation: The caller's isolation.
  ///   - fileID: The caller's file, for failures.
  ///   - filePath: The caller's path, for failures.
  ///   - line: The caller's line, for failures.
  ///   - column: The caller's column, for failures.
  /// - Returns: How it ended; nil after a failure.
  @discardableResult
  public func expectCancellation(
    within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> Result<Value, any Error>? {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    if let limit, limit < .zero {
      Reporter(at: site).fail(
        "expectCancellation: within: must not be negative (was \(limit.shortDescription)).")
      return nil
    }
    if let result {
      Reporter(at: site).fail(
        """
        expectCancellation\(name.map { " \"\($0)\"" } ?? "") expected the operation to be running, but \
        it had ended before it was cancelled: it \(Self.text(of: result)).
        Before cancelling, hold back what the operation waits for, or move time less far.
        """)
      return nil
    }
    task.cancel()
    var limit = limit
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), Simulation.current != nil {
    } else if limit == .zero {
      limit = nil
    }
    let plan = ConditionWaiter.Plan(
      call: "expectCancellation", description: name, evaluator: ConditionEvaluator(.becoming),
      limit: limit,
      expectation: "cancelling to end the operation", shortfall: "it kept running",
      advice:
        "Usually a continuation without a cancellation handler, or an error that is caught and "
        + "forgotten: check Task.isCancelled in loops.")
    let waiter = ConditionWaiter(plan, at: site)
    return await waiter.evaluate(nil, isolation: isolation) { evaluate() }
  }

  private func evaluate() -> Evaluation<Result<Value, any Error>> {
    result.map(Evaluation.fulfilled) ?? .unfulfilled("running")
  }

  private static func text(of result: Result<Value, any Error>) -> String {
    switch result {
    case .success(let value):
      Value.self == Void.self ? "returned" : "returned \(eventText(of: value))"
    case .failure(let error): "threw \(eventText(of: error))"
    }
  }
}
