import Observation
import Sleepless
import SleeplessSimulation

extension Watch {
  /// Looks, from the caller's own task, with a function that only the caller may call.
  @discardableResult
  func look<Value>(
    _ failFast: (() -> Bool)?, isolation: isolated (any Actor)?,
    _ look: () throws -> Look<Value>
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
      return observing { Self.result(of: look) }
    }
  }

  /// Looks in a task of its own, which can be left alone if it does not come back.
  @discardableResult
  func lookApart<Value>(
    _ failFast: (() async -> Bool)?, isolation: isolated (any Actor)?,
    _ look: @escaping () async throws -> Look<Value>
  ) async -> Value? {
    let errand = Errand(look, failFast)
    let answer = Answer<Value>()
    let task = Task {
      let found = await self.run(failFast: errand.failFast, isolation: nil) {
        await Self.result(of: errand.look)
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
  func observing<Value>(_ look: () -> Look<Value>) -> Look<Value> {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *),
      let outlook = outlook as? RealOutlook
    else { return look() }
    return withObservationTracking(look) { [weak outlook] in outlook?.ringAboutToChange() }
  }

  static func result<Value>(of look: () throws -> Look<Value>) -> Look<Value> {
    do { return try look() } catch { return .threw(eventText(of: error)) }
  }

  private static func result<Value>(of look: () async throws -> Look<Value>) async -> Look<Value> {
    do { return try await look() } catch { return .threw(eventText(of: error)) }
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
private final class Errand<Value>: @unchecked Sendable {
  let look: () async throws -> Look<Value>
  let failFast: (() async -> Bool)?

  init(_ look: @escaping () async throws -> Look<Value>, _ failFast: (() async -> Bool)?) {
    self.look = look
    self.failFast = failFast
  }
}

/// Hands over the first answer.
///
/// Unchecked because the value goes from one task to the other, which waits for it.
private final class Answer<Value>: @unchecked Sendable {
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
