import Sleepless

package struct TimedOut: Error {}

/// Cancels the operation and throws `TimedOut` after a time limit.
package func withTimeout<Value: Sendable>(
  after limit: Duration, clock: any Clock<Duration> = ContinuousClock(),
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await clock.sleep(for: limit)
      throw TimedOut()
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}
