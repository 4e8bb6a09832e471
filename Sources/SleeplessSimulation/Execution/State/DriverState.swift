/// What the driver of a simulation does at the moment.
enum DriverState {
  /// It takes steps, or waits for a time of its own choice.
  case driving
  /// It waits until the main actor runs it, to take a step there.
  case waitingForMainActor
  /// It waits until a job is enqueued, or until the job in an actor has ended.
  case suspended(UnsafeContinuation<Void, Never>)

  /// Takes the continuation of a suspended driver, for the caller to resume after unlocking.
  @_transparent
  mutating func takeContinuation() -> UnsafeContinuation<Void, Never>? {
    guard case .suspended(let continuation) = self else { return nil }
    self = .driving
    return continuation
  }
}
