// What the tests of the page of failure messages share.

enum Trouble: Error { case offline, signedOut }

final class Song: Sendable {
  nonisolated(unsafe) var next: Song?
  nonisolated(unsafe) var onEnd: (@Sendable () -> Void)?
}

/// Counts the schedules of a test: state that outlives them.
actor Visits {
  private var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}
