/// Counts how often work has run; the whole body of the work in every case, ours and the peer's.
public final class Counter: @unchecked Sendable {
  // Unchecked because one thread schedules, runs and reads, and a lock or an atomic would be a
  // large part of what is measured.
  /// How often the work has run.
  public var value = 0

  init() {}
}
