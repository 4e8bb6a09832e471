#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Returns the processor time that the calling thread spends on work that never waits.
///
/// Unlike wall-clock time, it leaves out the time of other processes on a busy machine.
public func processorTime(_ work: () -> Void) -> Duration {
  let start = threadTime()
  work()
  return threadTime() - start
}

private func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}
