/// Counts the runs of the work. Counting is the whole work in every case, ours and the peer's.
public final class Counter: @unchecked Sendable {
  // Unchecked: one thread schedules, runs and reads. A lock or an atomic would be a large part of
  // the measured time.
  /// The number of runs so far.
  public var value = 0

  init() {}
}
