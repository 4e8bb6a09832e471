import Observation
import Sleepless
import SleeplessSimulation

extension ConditionWaiter {
  /// Evaluates a condition in the caller's own task and isolation, until the wait ends.
  @discardableResult
  func evaluate<Value>(
    _ failFast: (() -> Bool)?, isolation: isolated (any Actor)?,
    _ evaluate: () throws -> Evaluation<Value>
  ) async -> Value? {
    await run(
      failFast: failFast.map { failFast in
        {
          _ = isolation
          return failFast()
        }
      }, isolation: isolation
    ) {
      _ = isolation  // The closure runs in the caller's isolation.
      return observing { Self.result(of: evaluate) }
    }
  }

  /// Evaluates an asynchronous condition in a task of its own, which the caller can leave if an
  /// evaluation does not return.
  @discardableResult
  func evaluateApart<Value>(
    _ failFast: (() async -> Bool)?, isolation: isolated (any Actor)?,
    _ evaluate: @escaping () async throws -> Evaluation<Value>
  ) async -> Value? {
    let request = WaiterRequest(evaluate, failFast)
    let result = OneShotContinuation<WaiterResult<Value>>()
    let task = Task {
      let found = await self.run(failFast: request.failFast, isolation: nil) {
        await Self.result(of: request.evaluate)
      }
      result.resume(returning: WaiterResult(value: found))
    }
    onAbandon {
      task.cancel()
      result.resume(returning: WaiterResult(value: nil))
    }
    return await withTaskCancellationHandler {
      await result.wait().value
    } onCancel: {
      task.cancel()
    }
  }

  /// Wakes the waiter when a property of an `@Observable` object changes that the evaluation has read.
  func observing<Value>(_ evaluate: () -> Evaluation<Value>) -> Evaluation<Value> {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *),
      let strategy = strategy as? RealTimeWaitStrategy
    else { return evaluate() }
    return withObservationTracking(evaluate) { [weak strategy] in strategy?.wakeForObservation() }
  }

  static func result<Value>(of evaluate: () throws -> Evaluation<Value>) -> Evaluation<Value> {
    do { return try evaluate() } catch { return .threw(eventText(of: error)) }
  }

  private static func result<Value>(of evaluate: () async throws -> Evaluation<Value>) async
    -> Evaluation<Value>
  {
    do { return try await evaluate() } catch { return .threw(eventText(of: error)) }
  }
}

extension ConditionWaiter {
  /// Makes a waiter; if the caller's times make no sense it fails the test, and there is none.
  convenience init?(checking plan: Plan, at site: CallSite) {
    if let mistake = plan.mistake {
      Reporter(at: site).fail("\(plan.call): \(mistake). Nothing was evaluated.")
      return nil
    }
    self.init(plan, at: site)
  }
}

extension ConditionWaiter.Plan {
  /// Which of the caller's times makes no sense, if one does.
  fileprivate var mistake: String? {
    let start = evaluator.notBefore
    if let limit, limit <= .zero {
      return "within: must be positive (was \(limit.shortDescription))"
    }
    if start < .zero { return "notBefore: must not be negative (was \(start.shortDescription))" }
    if let limit, start > limit {
      return
        "notBefore: must not be after within: (\(start.shortDescription) and \(limit.shortDescription))"
    }
    if case .holding(let duration) = evaluator.aim, duration <= .zero {
      return "during: must be positive (was \(duration.shortDescription))"
    }
    return nil
  }
}

/// The functions that a waiter calls in a task of its own.
///
/// Unchecked because the caller waits meanwhile. If the caller goes on because a call has not returned,
/// the test has failed.
private final class WaiterRequest<Value>: @unchecked Sendable {
  let evaluate: () async throws -> Evaluation<Value>
  let failFast: (() async -> Bool)?

  init(_ evaluate: @escaping () async throws -> Evaluation<Value>, _ failFast: (() async -> Bool)?)
  {
    self.evaluate = evaluate
    self.failFast = failFast
  }
}

/// Unchecked because the value goes from one task to another, which waits for it.
private struct WaiterResult<Value>: @unchecked Sendable {
  let value: Value?
}
