import Sleepless

/// A clock that a test sets. Its sleeps return at once, a little or a lot too late.
final class JumpingClock: Clock {
  typealias Instant = VirtualInstant

  private let state = Locked(VirtualInstant())

  var now: VirtualInstant { state.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  func jump(to offset: Duration) { state.withLock { $0 = VirtualInstant(offset: offset) } }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock { $0 = max($0, deadline) }
  }
}
