// virtual time: all sleeps are in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Timers of Foundation that code changes at the instant at which they are due (S10).
@Suite(.needs(.runLoops), .needs(.dates), .timeLimit(.minutes(10))) struct DueTimerTests {
  /// The run loop that the timers are on.
  enum Place: CaseIterable {
    case main
    /// The main run loop, while code of the main actor runs it.
    case mainThatRuns
    case ofThread
  }

  /// What timers note in ten seconds.
  private func log(
    in place: Place, _ schedule: @escaping @Sendable (TimedLog) -> Void
  ) async throws -> [String] {
    let log = TimedLog()
    let outcome = await Simulation.run {
      let scheduleAndRun: @Sendable () -> Void = {
        schedule(log)
        if place != .main { RunLoop.current.run(until: Date() + 10) }
      }
      if place == .ofThread { scheduleAndRun() } else { await MainActor.run { scheduleAndRun() } }
      if place == .main { try await Task.sleep(for: .seconds(10)) }
    }
    try outcome.result?.get()
    #expect(outcome.report.externalResumptionCount == 0)
    return log.values
  }

  @Test(arguments: Place.allCases)
  func `S10 a timer that another one invalidates when both are due does not fire`(
    place: Place
  ) async throws {
    let log = try await log(in: place) { log in
      let victim = Reference()
      schedule(after: 1) { _ in
        log.note("first, \(victim.timer.isValid)")
        victim.timer.invalidate()
        log.note("first, \(victim.timer.isValid)")
      }
      victim.timer = schedule(after: 1, repeats: true) { _ in log.note("victim") }
      schedule(after: 1) { _ in log.note("last") }
    }
    #expect(
      log == ["first, true at 1.0 seconds", "first, false at 1.0 seconds", "last at 1.0 seconds"])
  }

  @Test(arguments: Place.allCases)
  func `S10 a timer that gets a later date when it is due fires at that date`(
    place: Place
  ) async throws {
    let log = try await log(in: place) { log in
      let (later, never) = (Reference(), Reference())
      schedule(after: 1) { _ in
        later.timer.fireDate = Date() + 2
        never.timer.fireDate = .distantFuture
      }
      later.timer = schedule(after: 1) { _ in log.note("later") }
      never.timer = schedule(after: 1, repeats: true) { _ in log.note("never") }
      schedule(after: 1) { _ in log.note("last") }
    }
    #expect(log == ["last at 1.0 seconds", "later at 3.0 seconds"])
  }

  @Test(arguments: Place.allCases)
  func `S10 a timer that gets a date in the past fires at once, and its interval begins there`(
    place: Place
  ) async throws {
    let log = try await log(in: place) { log in
      let moved = Reference()
      schedule(after: 1) { _ in moved.timer.fireDate = Date(timeIntervalSinceNow: -1) }
      moved.timer = schedule(after: 8, every: 4) { _ in log.note("moved") }
    }
    #expect(log == ["moved at 1.0 seconds", "moved at 5.0 seconds", "moved at 9.0 seconds"])
  }

  @Test(arguments: Place.allCases, [false, true])
  func `S10 a timer that its own block invalidates does not fire again`(
    place: Place, repeats: Bool
  ) async throws {
    let log = try await log(in: place) { log in
      schedule(after: 1, repeats: repeats) { timer in
        timer.invalidate()
        Thread.sleep(forTimeInterval: 3)
        log.note("valid: \(timer.isValid)")
      }
    }
    #expect(log == ["valid: false at 4.0 seconds"])
  }

  @Test(arguments: Place.allCases)
  func `S10 a timer whose own block sets its date fires then, and its interval begins there`(
    place: Place
  ) async throws {
    let log = try await log(in: place) { log in
      let isFirst = Locked(true)
      schedule(after: 1, every: 2) { timer in
        log.note("timer")
        let wasFirst = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if wasFirst { timer.fireDate = Date() + 4 }
      }
    }
    #expect(
      log == [
        "timer at 1.0 seconds", "timer at 5.0 seconds", "timer at 7.0 seconds",
        "timer at 9.0 seconds",
      ])
  }

  @Test(arguments: Place.allCases)
  func `S10 a timer that a block adds for the same instant fires after those that were due`(
    place: Place
  ) async throws {
    let log = try await log(in: place) { log in
      schedule(after: 1) { _ in
        log.note("adds")
        schedule(after: 0) { _ in
          log.note("added")
          schedule(after: -1) { _ in log.note("added for the past") }
        }
      }
      schedule(after: 1) { _ in log.note("due") }
      schedule(after: 2) { _ in log.note("next") }
    }
    #expect(
      log == [
        "adds at 1.0 seconds", "due at 1.0 seconds", "added at 1.0 seconds",
        "added for the past at 1.0 seconds", "next at 2.0 seconds",
      ])
  }

  @Test @available(macOS 15, *)
  func `S8 of two timers that invalidate each other the first one fires, in each schedule`() async {
    let (result, logs) = await explored(.exhaustive, schedules: 1_000) {
      let log = Log<String>()
      let timers = [Reference(), Reference()]
      await MainActor.run {
        for number in 0...1 {
          timers[number].timer = schedule(after: 1) { _ in
            log.append("\(number)")
            timers[1 - number].timer.invalidate()
          }
        }
      }
      try? await Task.sleep(for: .seconds(1))
      await MainActor.run { log.append("task") }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    #expect(Set(logs) == [["0", "task"], ["task", "0"]])
  }
}

private final class Reference: @unchecked Sendable {
  // Unchecked because timers are not Sendable, and one thread uses them.
  var timer: Timer!
}

/// Schedules a timer on the run loop of this thread.
@discardableResult
private func schedule(
  after seconds: Double, every interval: Double = 1, repeats: Bool = false,
  _ code: @escaping @Sendable (Timer) -> Void
) -> Timer {
  let timer = Timer(
    fire: Date() + seconds, interval: interval, repeats: repeats || interval != 1, block: code)
  RunLoop.current.add(timer, forMode: .default)
  return timer
}
