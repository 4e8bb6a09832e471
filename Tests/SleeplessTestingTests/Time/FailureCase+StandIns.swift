import SleeplessTesting

extension FailureCase {
  /// Stand-ins that are used although the test says they are not.
  static let ofStandIns = [
    FailureCase(
      "an unimplemented queue's async", at: #line + 8,
      reads: """
        background queue was used: async, called in FailureCase+StandIns.swift:\(#line + 7).
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
        or an immediate one.
        """
    ) {
      let queue: any DispatchQueueType =
        UnimplementedScheduler("background queue")
      queue.async {}
    },
    FailureCase(
      "an unimplemented scheduler's timer", at: #line + 7,
      reads: """
        UnimplementedScheduler was used: schedule(every: 1 s), called in FailureCase+StandIns.swift:\(#line + 6).
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
        or an immediate one.
        """
    ) {
      let scheduler = UnimplementedScheduler()
      scheduler.schedule(every: .seconds(1)) {}
    },
    FailureCase(
      "an unimplemented clock's sleep", at: #line + 7,
      reads: """
        UnimplementedClock was used: sleep.
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
        or an immediate one.
        """
    ) {
      let clock = UnimplementedClock()
      try? await clock.sleep(until: VirtualInstant(offset: .seconds(1)))
      try? await clock.sleep(until: VirtualInstant(offset: .seconds(1)))
    },
    FailureCase(
      "an unimplemented clock's sleep for a duration", at: #line + 7,
      reads: """
        UnimplementedClock was used: now, which sleep(for:) reads too.
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
        or an immediate one.
        """
    ) {
      let clock: any Clock<Duration> = UnimplementedClock()
      try? await clock.sleep(for: .seconds(1))
      try? await clock.sleep(for: .seconds(1))
    },
  ]
}
