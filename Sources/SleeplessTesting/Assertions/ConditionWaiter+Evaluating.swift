import Observation
import Sleepless
import SleeplessSimulation

extension ConditionWaiter {
  /// Looks, from the caller's own task, with a function that only the caller may call.
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
      _ = isolation  // The closure is to run where the caller is.
      return observing { Self.result(of: evaluate) }
    }
  }

  /// Looks in a task of its own, which can be left alone if it does not come back.
  @discardableResult
  func evaluateApart<Value>(
    _ failFast: (() async -> Bool)?, isolation: isolated (any Actor)?,
    _ evaluate: @escaping () async throws -> Evaluation<Value>
  ) async -> Value? {
    let request = WaiterRequest(evaluate, failFast)
    let answer = OneShotContinuation<Value>()
    let task = Task {
      let found = await self.run(failFast: request.failFast, isolation: nil) {
        await Self.result(of: request.evaluate)
      }
      answer.give(found)
    }
    onAbandon {
      task.cancel()
      answer.give(nil)
    }
    return await withTaskCancellationHandler {
      await answer.wait()
    } onCancel: {
      task.cancel()
    }
  }

  /// Has the watch woken when something changes that an `@Observable` object owns and that was read.
  func observing<Value>(_ evaluate: () -> Evaluation<Value>) -> Evaluation<Value> {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *),
      let strategy = strategy as? RealTimeWaitStrategy
    else { return evaluate() }
    return withObservationTracking(evaluate) { [weak strategy] in strategy?.ringAboutToChange() }
  }

  static func result<Value>(of evaluate: () throws -> Evaluation<Value>) -> Evaluation<Value> {
    do { return try evaluate() } catch { return .threw(eventText(of: error)) }
  }

  private static func result<Value>(of evaluate: () async throws -> Evaluation<Value>) async
    -> Evaluation<Value>
  {
    do { return try await evaluate() } catch { return .threw(eventText(of: error)) }
  }

  static func isSensible(
    _ call: String, within limit: Duration?, notBefore start: Duration = .zero,
    during: Duration? = nil,
    at site: CallSite
  ) -> Bool {
    let wrong: String? =
      if let limit, limit <= .zero {
        "within: must be positive (was \(limit.shortDescription))"
      } else if start < .zero {
        "notBefore: must not be negative (was \(start.shortDescription))"
      } else if let limit, start > limit {
        "notBefore: must not be after within: (\(start.shortDescription) and \(limit.shortDescription))"
      } else if let during, during <= .zero {
        "during: must be positive (was \(during.shortDescription))"
      } else { nil }
    guard let wrong else { return true }
    Reporter(at: site).fail("\(call): \(wrong). Nothing was evaluated.")
    return false
  }
}

/// What a watch calls in a task of its own.
///
/// Unchecked because the caller waits meanwhile; if it goes on because the call has not come back,
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

/// Hands over the first answer.
///
/// Unchecked because the value goes from one task to the other, which waits for it.
private final class OneShotContinuation<Value>: @unchecked Sendable {
  private enum State {
    case awaited(UnsafeContinuation<Void, Never>?)
    case given
  }

  private let state = Locked(State.awaited(nil))
  private var value: Value?

  func give(_ value: Value?) {
    let waiter: UnsafeContinuation<Void, Never>?? = state.withLock { state in
      guard case .awaited(let waiter) = state else { return nil }
      self.value = value
      state = .given
      return .some(waiter)
    }
    waiter??.resume()
  }

  func wait() async -> Value? {
    await withUnsafeContinuation { continuation in
      let isGiven = state.withLock { state in
        if case .given = state { return true }
        state = .awaited(continuation)
        return false
      }
      if isGiven { continuation.resume() }
    }
    return value
  }
}
