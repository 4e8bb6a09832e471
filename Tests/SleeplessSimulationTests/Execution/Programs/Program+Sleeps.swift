// virtual time: everything here runs in simulations
import SleeplessSimulation

/// Programs that wait for time to pass.
extension Program {
  static let sleeps = [
    Program(
      "Task.sleep in its four forms",
      runLog: ["for@100", "until@250", "nanoseconds@0.250000001 seconds", "old@251"],
      hasOrders: false
    ) { runLog in
      try await Task.sleep(for: .milliseconds(100))
      runLog.note("for")
      try await Task.sleep(
        until: .now + .milliseconds(150), tolerance: .seconds(1), clock: .continuous)
      runLog.note("until")
      try await Task.sleep(nanoseconds: 1)
      runLog.note("nanoseconds")
      let sleeper: any Sleeper = OldSleeper()
      await sleeper.sleepOldly(999_999)
      runLog.note("old")
    },
    Program(
      "both clocks of the standard library",
      runLog: ["continuous@90", "suspending@150", "90 60@150", "measured 250@400"], hasOrders: false
    ) { runLog in
      let (continuous, suspending) = (ContinuousClock(), SuspendingClock())
      let start = continuous.now
      try await continuous.sleep(until: start + .milliseconds(90))
      let first = start.duration(to: .now)
      runLog.note("continuous")
      let second = suspending.now
      try await suspending.sleep(for: .milliseconds(60))
      runLog.note("suspending")
      let milliseconds = [first, second.duration(to: .now)].map { Int($0 / .milliseconds(1)) }
      runLog.note("\(milliseconds[0]) \(milliseconds[1])")
      let measured = try await continuous.measure { try await Task.sleep(for: .milliseconds(250)) }
      runLog.note("measured \(Int(measured / .milliseconds(1)))")
    },
    Program(
      "a deadline that has passed", runLog: ["at once@0", "negative@0", "zero@0"], hasOrders: false
    ) { runLog in
      try await Task.sleep(until: .now - .seconds(1), clock: .continuous)
      runLog.note("at once")
      try await Task.sleep(for: .seconds(-1))
      runLog.note("negative")
      try await Task.sleep(for: .zero)
      runLog.note("zero")
    },
    Program(
      "a timeout by racing tasks",
      runLog: ["slow begins@0", "slow cancelled@1000", "nothing@1000", "fast@1300", "value@1300"]
    ) { runLog in
      runLog.note(
        await withTimeout(.seconds(1)) {
          runLog.note("slow begins")
          do { try await Task.sleep(for: .seconds(60)) } catch { runLog.note("slow cancelled") }
          return nil
        } ?? "nothing")
      runLog.note(
        await withTimeout(.seconds(1)) {
          try? await Task.sleep(for: .milliseconds(300))
          runLog.note("fast")
          return "value"
        } ?? "nothing")
    },
    Program(
      "a retry with growing pauses",
      runLog: ["attempt 1@0", "attempt 2@100", "attempt 3@300", "attempt 4@700", "done@700"],
      hasOrders: false
    ) { runLog in
      var pause = Duration.milliseconds(100)
      for attempt in 1...4 {
        runLog.note("attempt \(attempt)")
        if attempt == 4 { break }
        try await Task.sleep(for: pause)
        pause *= 2
      }
      runLog.note("done")
    },
    Program(
      "sleepers due at one instant",
      runLog: ["1@10", "2@10", "3@10"]
    ) { runLog in
      await withTaskGroup { group in
        for number in 1...3 {
          group.addTask {
            try? await Task.sleep(for: .milliseconds(10))
            runLog.note("\(number)")
          }
        }
      }
    },
  ]

  private static func withTimeout<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Value?
  ) async -> Value? {
    await withTaskGroup { group in
      group.addTask { await body() }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next()!
    }
  }

  /// Calls the deprecated form of `Task.sleep` by a protocol, which gives no warning.
  private protocol Sleeper {
    func sleepOldly(_ nanoseconds: UInt64) async
  }

  private struct OldSleeper: Sleeper {
    @available(*, deprecated) func sleepOldly(_ nanoseconds: UInt64) async {
      await Task.sleep(nanoseconds)
    }
  }
}
