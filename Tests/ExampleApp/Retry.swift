import Sleepless

/// Repeats an operation until it succeeds. Doubles the wait after each failure, and throws the last
/// error.
package func retry<Value: Sendable>(
  upTo attempts: Int = 4, firstDelay: Duration = .seconds(1),
  clock: any Clock<Duration> = ContinuousClock(),
  _ operation: @Sendable () async throws -> Value
) async throws -> Value {
  var delay = firstDelay
  for _ in 1..<attempts {
    do {
      return try await operation()
    } catch {
      try await clock.sleep(for: delay)
      delay *= 2
    }
  }
  return try await operation()
}
