import Sleepless
import Testing

/// Waits until assertions hold, and fails the test if they never do.
///
/// ```swift
/// await eventually(asserting: "the names are shown") {
///   #expect(model.names == ["Ada", "Grace"])
///   #expect(!model.isLoading)
/// }
/// ```
///
/// Failures of `#expect`, `#require` and XCTest's assertions are held back until the wait ends; the failure
/// shows the last one. An error means "not yet". Failures of tasks that the assertions start are not held
/// back in XCTest.
///
/// Otherwise like the form with a condition.
public func eventually(
  asserting description: String, within limit: Duration? = nil, notBefore start: Duration = .zero,
  failFast: (() -> Bool)? = nil, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ assertions: @escaping () throws -> Void
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let plan = ConditionWaiter.Plan.eventuallyHolding(description, limit, start)
  guard let waiter = ConditionWaiter(checking: plan, at: site) else { return }
  let run = AssertionRun(waiter, assertions)
  _ = await waiter.run(
    failFast: failFast.map { failFast in
      {
        _ = isolation
        return failFast()
      }
    }, isolation: isolation
  ) { await run.make(isolation: isolation) }
}

/// Waits until asynchronous assertions hold, and fails the test if they never do.
///
/// Like the form with synchronous assertions, but changes of `@Observable` objects do not wake it.
///
/// ```swift
/// Task { await store.load() }
/// await eventually(asserting: "both names are stored") {
///   let names = await store.names
///   #expect(names.count == 2)
///   #expect(names.first == "Ada")
/// }
/// ```
public func eventually(
  asserting description: String, within limit: Duration? = nil, notBefore start: Duration = .zero,
  failFast: (() async -> Bool)? = nil, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ assertions: @escaping () async throws -> Void
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let plan = ConditionWaiter.Plan.eventuallyHolding(description, limit, start)
  guard let waiter = ConditionWaiter(checking: plan, at: site) else { return }
  let run = AsyncAssertionRun(waiter, assertions)
  await waiter.evaluateApart(failFast, isolation: isolation) { await run.make() }
}

extension ConditionWaiter.Plan {
  fileprivate static func eventuallyHolding(
    _ description: String, _ limit: Duration?, _ start: Duration
  ) -> Self {
    Self(
      call: "eventually", description: description,
      evaluator: ConditionEvaluator(.becoming, notBefore: start), limit: limit,
      expectation: "its assertions to hold", shortfall: "they did not")
  }
}

/// Runs the caller's assertions in the caller's isolation.
///
/// Unchecked because it passes through code of other isolations, but is used only in the caller's, which
/// waits meanwhile.
private final class AssertionRun: @unchecked Sendable {
  private let waiter: ConditionWaiter
  private let assertions: () throws -> Void

  init(_ waiter: ConditionWaiter, _ assertions: @escaping () throws -> Void) {
    self.waiter = waiter
    self.assertions = assertions
  }

  func make(isolation: isolated (any Actor)?) async -> Evaluation<Void> {
    await waiter.hold { await self.run(isolation: isolation) }
  }

  private func run(isolation: isolated (any Actor)?) -> (any Error)? {
    var error: (any Error)?
    _ = waiter.observing { () -> Evaluation<Void> in
      do { try assertions() } catch let caught { error = caught }
      return .fulfilled(())
    }
    return error
  }
}

/// Runs asynchronous assertions.
///
/// Unchecked because the caller waits meanwhile.
private final class AsyncAssertionRun: @unchecked Sendable {
  private let waiter: ConditionWaiter
  private let assertions: () async throws -> Void

  init(_ waiter: ConditionWaiter, _ assertions: @escaping () async throws -> Void) {
    self.waiter = waiter
    self.assertions = assertions
  }

  func make() async -> Evaluation<Void> { await waiter.hold { await self.run() } }

  private func run() async -> (any Error)? {
    do { try await assertions() } catch { return error }
    return nil
  }
}

extension ConditionWaiter {
  /// Runs assertions and holds their issues back.
  fileprivate func hold(_ assertions: @Sendable () async -> (any Error)?) async -> Evaluation<Void>
  {
    let before = reporter.failureCount
    let issues = Locked<[String]>([])
    let error = Locked<String?>(nil)
    if let test = Test.current {
      let trait: IssueHandlingTrait = .compactMapIssues { issue in
        // An issue that an outer `withKnownIssue` has matched also counts as "not yet".
        guard issue.severity >= .error else { return issue }
        issues.withLock {
          $0.append("\(issue)".firstLine.replacing(" (error)", with: "").withPlainArrows)
        }
        return nil
      }
      // It throws only what the closure throws.
      try? await trait.provideScope(for: test, testCase: Test.Case.current) {
        await HeldFailures.mark {
          if let thrown = await assertions() { error.withLock { $0 = eventText(of: thrown) } }
        }
      }
    } else {
      let failure = await HeldFailures.hold {
        if let thrown = await assertions() { error.withLock { $0 = eventText(of: thrown) } }
      }
      if let failure { issues.withLock { $0.append(failure.firstLine) } }
    }
    if reporter.failureCount > before {
      state.withLock { $0.isReported = true }
      return .unfulfilled("")
    }
    if let issue = issues.withLock({ $0.first }) { return .unfulfilled(issue) }
    return error.withLock { $0 }.map(Evaluation.threw) ?? .fulfilled(())
  }
}

extension String {
  fileprivate var firstLine: String { String(prefix { $0 != "\n" }) }
}
