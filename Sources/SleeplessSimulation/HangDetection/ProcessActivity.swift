import Sleepless

/// What goes on in this process outside simulations that may still bring an event.
///
/// What is not known for certain counts as under way: a thread that is blocked in any way but waiting for work of
/// Dispatch or of a run loop, a source for a descriptor, a child process.
///
/// What no reading shows: signals and writes by other processes, and memory that other processes change. A condition
/// that reads a clock, a file or a socket shows that by its calls.
package enum ProcessActivity: Equatable, Sendable {
  /// Nothing. Only the waiting code's own next evaluation can change anything.
  case none
  /// A thread runs; that may be one that evaluates a condition.
  case running
  /// Something is due, or may come at any moment.
  case pending

  /// The result of the latest reading. Waits that look at about the same moment share it.
  private struct Latest {
    var instant = Duration.seconds(-1)
    var activity = ProcessActivity.pending
    var count: UInt64 = 0
    var contention = CPUContention()
    var wasShort = false
  }

  private static let latest = Locked(Latest())
}

#if os(Linux) && SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  extension ProcessActivity {
    /// Whether the process is seen.
    package static var isSeen: Bool {
      CaptureKind.process != nil && !sleepless_fact_fails(sleepless_fact_activity)
    }

    /// Changes when jobs are given to the threads that run tasks; without those of simulations and those that the
    /// library enqueues outside them.
    package static var jobCount: UInt64 { sleepless_job_count() }

    package static func beginWatch() { sleepless_watch_activity(true) }
    package static func endWatch() { sleepless_watch_activity(false) }

    /// Lets a real executor begin a sleep. If its deadline does not show, the process is not seen.
    static func noteSleep(_ begin: () -> Void) {
      let count = sleepless_activity_count()
      begin()
      if sleepless_activity_count() == count {
        _ = sleepless_note_fact(sleepless_fact_activity, false)
      }
    }

    /// What goes on now, with what is due within a time; and whether threads were kept from the cores lately.
    package static func now(within horizon: Duration) -> (
      activity: ProcessActivity, lacksCores: Bool
    ) {
      outsideSimulations {
        let instant = CPUContention.Reading.uptime
        return latest.withLock { latest in
          // A reading is shared by all waits.
          if instant - latest.instant < .milliseconds(5) {
            return (latest.activity, latest.wasShort)
          }
          latest.instant = instant
          let count = sleepless_activity_count()
          let isQuiet = count == latest.count
          latest.count = count
          latest.activity = isQuiet ? read(within: horizon) : .pending
          latest.wasShort = latest.activity != .pending && latest.contention.wasShort()
          return (latest.activity, latest.wasShort)
        }
      }
    }

    /// The same, in a reading that is not shared with waits.
    static func unshared(within horizon: Duration) -> ProcessActivity {
      outsideSimulations { read(within: horizon) }
    }

    private static func read(within horizon: Duration) -> ProcessActivity {
      if sleepless_is_anything_due(horizon.wholeNanoseconds) || sleepless_is_any_source_active()
        || sleepless_has_children_or_alarm()
      {
        return .pending
      }
      // Timers of several waits end at one moment, and each evaluates its condition for some microseconds.
      for _ in 0..<5 {
        let activity = threads
        if activity != .running { return activity }
      }
      return .running
    }

    private static var threads: ProcessActivity {
      let own = sleepless_thread_number()
      var activity = ProcessActivity.none
      for number in CPUContention.Reading.threadNumbers where number != own {
        let isIdle = sleepless_is_idle(number)
        guard let thread = CPUContention.Reading.Thread(number) else { continue }  // it has ended
        if thread.isRunnable {
          activity = .running
        } else if !isIdle {
          // The main thread may wait for the end of the tests. Any other may be a thread of Dispatch's pool, and a
          // block waits until the pool has grown.
          guard number == sleepless_process_number(),
            CPUContention.Reading.Thread.waitsForLockWithoutLimit(number)
          else {
            return .pending
          }
        }
      }
      return activity
    }
  }

  extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#else
  extension ProcessActivity {
    /// The process is not seen.
    package static let isSeen = false

    /// It never changes.
    package static let jobCount: UInt64 = 0

    package static func beginWatch() {}
    package static func endWatch() {}

    static func unshared(within horizon: Duration) -> ProcessActivity { .pending }

    package static func now(within horizon: Duration) -> (
      activity: ProcessActivity, lacksCores: Bool
    ) {
      (.pending, false)
    }
  }
#endif
