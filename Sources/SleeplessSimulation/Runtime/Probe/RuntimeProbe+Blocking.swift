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

    /// Samples whether reads of the date reach the stand-ins, and makes those of simulations show virtual time.
    static func sampleDates() {
      let areReplaced = areDatesSeen && sleepless_install_dates()
      if !note(sleepless_fact_dates, areReplaced) { sleepless_uninstall_dates() }
    }

    /// Samples whether work for queues reaches the stand-ins, and makes simulations run their own.
    static func sampleQueues() {
      let areReplaced =
        areQueuesSeen && sleepless_find_queue_state() && SimulationExecutor.installQueueHooks()
        && TimerSource.installHooks()
      // A simulation runs blocks of queues for which others wait, so threads must not wait in real time.
      let holds = areReplaced && !sleepless_fact_fails(sleepless_fact_blocking_calls)
      if !note(sleepless_fact_queues, holds) {
        sleepless_uninstall_queue_hooks()
        sleepless_uninstall_timer_hooks()
      }
    }

    /// Samples whether the calls that show what goes on in the process reach the stand-ins. Deadlines and sources are
    /// among the samples of queues. The sleep of a task needs threads: each real sleep samples it, see
    /// `ProcessActivity`.
    static func sampleActivity() {
      let holds = note(
        sleepless_fact_activity,
        sleepless_sees_activity() && !sleepless_fact_fails(sleepless_fact_queues))
      if holds { SimulationExecutor.installOutsideHook() }
    }

    /// Says, once in a process, what is real in simulations because one of these facts does not hold.
    static let explainBlockingCallsAndDates: Void = {
      explain(
        sleepless_fact_blocking_calls,
        "sleeps of threads and waits for semaphores and groups take real time in simulations")
      explain(sleepless_fact_dates, "Date() shows real time in simulations")
      explain(sleepless_fact_queues, "simulations do not follow Dispatch's queues")
      explain(
        sleepless_fact_conditions,
        "waits for conditions and for operations take real time in simulations")
      explain(sleepless_fact_operations, "simulations do not follow operation queues")
      explain(
        sleepless_fact_run_loops, "run loops and timers of Foundation take real time in simulations"
      )
      explain(
        sleepless_fact_program_clocks,
        "the clocks of Dispatch, of C and of Foundation show real time in simulations")
    }()

    private static func explain(_ fact: sleepless_fact, _ consequence: String) {
      guard sleepless_fact_fails(fact) else { return }
      sleepless_print_line(
        """
        Sleepless: \(consequence). With \(RuntimeVerdict.toolchain) this does not hold: \
        \(String(cString: sleepless_fact_statement(fact))) (\(String(cString: sleepless_fact_name(fact)))). \
        The page "Where it works" lists what follows. SLEEPLESS_RUNTIME=report prints all facts.
        """)
    }

    private static var areDatesSeen: Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      let dates = [
        Date(), Date.now, Date(timeIntervalSinceNow: 0),
        Date(timeIntervalSinceReferenceDate: Date.timeIntervalSinceReferenceDate),
      ]
      // A result that was not handed on as expected is another date.
      return dates.allSatisfy { abs($0.timeIntervalSinceNow) < 60 }
        && sample.pointee.date_calls == sleepless_all_date_calls.rawValue
    }

    private static var areQueuesSeen: Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      let queue = DispatchQueue(label: "sleepless.sample", attributes: .initiallyInactive)
      let group = DispatchGroup()
      sample.pointee.samples_queues = true
      queue.activate()
      // The stand-ins note those of the sample's queue or group and drop them. No thread starts before the program.
      queue.async {}
      queue.async(flags: .barrier) {}
      queue.async(group: group) {}
      queue.async(execute: DispatchWorkItem {})
      queue.async(execute: DispatchWorkItem(flags: .barrier) {})
      queue.async(group: group, flags: .barrier) {}
      queue.asyncAfter(deadline: .now()) {}
      group.notify(queue: queue) {}
      var runs = 0
      queue.sync { runs += 1 }
      queue.sync(flags: .barrier) { runs += 1 }
      queue.suspend()
      queue.resume()
      DispatchQueue.concurrentPerform(iterations: 0) { _ in }
      // It is kept: a source that was not activated cannot be released, and an active one has a thread started.
      let timer = DispatchSource.makeTimerSource()
      _ = Unmanaged.passRetained(timer as AnyObject)
      timer.schedule(deadline: .distantFuture)
      timer.setEventHandler {}
      timer.setCancelHandler {}
      timer.cancel()
      _ = timer.data
      do { _ = DispatchGroup() }
      return runs == 2 && sample.pointee.queue_calls == sleepless_all_queue_calls.rawValue
        && sample.pointee.barrier_item_count == 2
        && sample.pointee.timer_calls == sleepless_all_timer_calls.rawValue
    }

    private static var areBlockingCallsSeen: Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      // The shortest sleep that is not zero shows that the stand-in gets the number.
      let nanosecond = 1e-9
      Thread.sleep(forTimeInterval: nanosecond)
      Thread.sleep(until: .distantPast)
      usleep(0)
      sleep(0)
      var time = timespec()
      nanosleep(&time, nil)
      let hasTimedOut = DispatchSemaphore(value: 0).wait(timeout: .now()) == .timedOut
      let isEmpty = DispatchGroup().wait(timeout: .now()) == .success
      return hasTimedOut && isEmpty && !sample.pointee.has_wrong_caller
        && sample.pointee.slept_seconds == nanosecond
        && sample.pointee.slept_until == Date.distantPast.timeIntervalSinceReferenceDate
        && sample.pointee.blocking_calls == sleepless_all_blocking_calls.rawValue
    }
  }
#endif
