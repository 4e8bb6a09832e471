// virtual time: no call here waits
#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Dispatch
  import Foundation

  extension RuntimeProbe {
    /// Samples whether calls that block a thread reach the stand-ins, and makes those of simulations take virtual time.
    /// Simulations work without this fact: such calls then take real time.
    static func sampleBlockingCalls() {
      let areReplaced = areBlockingCallsSeen && SimulationExecutor.installBlockingHooks()
      if !note(sleepless_fact_blocking_calls, areReplaced) { sleepless_uninstall_blocking_hooks() }
    }

    /// Says, once in a process, that blocking calls take real time in simulations, if they do.
    static let explainBlockingCalls: Void = {
      guard sleepless_fact_fails(sleepless_fact_blocking_calls) else { return }
      sleepless_print_line(
        """
        Sleepless: sleeps of threads and waits for semaphores and groups take real time in simulations. With \
        \(RuntimeVerdict.toolchain) this does not hold: \
        \(String(cString: sleepless_fact_statement(sleepless_fact_blocking_calls))) \
        (\(String(cString: sleepless_fact_name(sleepless_fact_blocking_calls)))).
        """)
    }()

    private static var areBlockingCallsSeen: Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      Thread.sleep(forTimeInterval: 0)
      Thread.sleep(until: .distantPast)
      usleep(0)
      sleep(0)
      var time = timespec()
      nanosleep(&time, nil)
      let hasTimedOut = DispatchSemaphore(value: 0).wait(timeout: .now()) == .timedOut
      let isEmpty = DispatchGroup().wait(timeout: .now()) == .success
      return hasTimedOut && isEmpty
        && sample.pointee.blocking_calls == sleepless_all_blocking_calls.rawValue
    }
  }
#endif
