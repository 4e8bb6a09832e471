// virtual time: no call here waits
#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import CoreFoundation
  import Dispatch
  import Foundation

  extension RuntimeProbe {
    /// Samples whether waits for conditions reach the stand-ins, and makes those of simulations take virtual time.
    static func sampleConditions() {
      let areReplaced = areConditionsSeen && SimulationExecutor.installConditionHooks()
      let holds = areReplaced && !sleepless_fact_fails(sleepless_fact_blocking_calls)
      if !note(sleepless_fact_conditions, holds) { sleepless_uninstall_condition_hooks() }
    }

    /// Samples in which functions operations give work to queues, also when one on which they depend has ended, and makes
    /// simulations run it.
    static func sampleOperations() {
      // A thread that waits for an operation waits for a condition.
      let holds =
        areOperationsSeen && SimulationExecutor.installOperationHooks()
        && ![sleepless_fact_queues, sleepless_fact_conditions].contains(where: sleepless_fact_fails)
      if !note(sleepless_fact_operations, holds) { sleepless_uninstall_operation_hooks() }
    }

    /// Samples whether the uses of run loops and timers reach the stand-ins, and makes those of simulations virtual.
    static func sampleRunLoops() {
      let holds =
        areRunLoopsSeen && RunLoopTimer.installHooks()
        && ![sleepless_fact_queues, sleepless_fact_dates].contains(where: sleepless_fact_fails)
      if !note(sleepless_fact_run_loops, holds) { sleepless_uninstall_run_loop_hooks() }
    }

    /// Samples whether reads of other clocks reach the stand-ins, and makes those of simulations show virtual time.
    static func sampleProgramClocks() {
      let areReplaced = installClocks()
      if !note(sleepless_fact_program_clocks, areReplaced) { sleepless_uninstall_clocks() }
    }

    private static var areConditionsSeen: Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      let condition = NSCondition()
      condition.lock()
      defer { condition.unlock() }
      condition.signal()
      condition.broadcast()
      var hasBeenSignalled = false
      // It does not wait if this thread loses the processor until the time has passed.
      for _ in 0..<100
      where sample.pointee.condition_calls != sleepless_all_condition_calls.rawValue {
        if condition.wait(until: Date(timeIntervalSinceNow: 2e-5)) { hasBeenSignalled = true }
      }
      return !hasBeenSignalled
        && sample.pointee.condition_calls == sleepless_all_condition_calls.rawValue
    }

    private static var areOperationsSeen: Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      sample.pointee.samples_operations = true
      // The stand-ins note the calls and drop the blocks. No thread starts before the program.
      OperationQueue().addOperation {}
      let first = sample.pointee.operation_function_count
      OperationQueue().addBarrierBlock {}
      let second = sample.pointee.operation_function_count
      let operation = BlockOperation {}
      operation.completionBlock = {}
      operation.start()
      let third = sample.pointee.operation_function_count
      _ = OperationQueue.main
      return first == 1 && second == 2 && third == 3 && sample.pointee.reads_main_operations
        && isEndOfOperationSeen(sample)
    }

    /// Whether an operation that is added is told from one that may run since another one has ended.
    private static func isEndOfOperationSeen(
      _ sample: UnsafeMutablePointer<sleepless_sample>
    ) -> Bool {
      let (first, second) = (BlockOperation {}, BlockOperation {})
      second.addDependency(first)
      sample.pointee.operation_item_count = 0
      let queue = OperationQueue()
      queue.addOperation(second)
      queue.addOperation {}
      let countBefore = sample.pointee.dependent_operation_count
      first.start()
      return countBefore == 0 && sample.pointee.dependent_operation_count == 1
        && sample.pointee.operation_item_count == 2
    }

    private static var areRunLoopsSeen: Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      sample.pointee.samples_run_loops = true
      let runLoop = RunLoop.current
      let timer = Timer.scheduledTimer(withTimeInterval: 3600, repeats: false) { _ in }
      runLoop.add(timer, forMode: .default)
      timer.fireDate = .distantFuture
      let isFar = timer.fireDate > Date(timeIntervalSinceNow: 86_400)
      timer.invalidate()
      // The stand-ins note these and return: the real run loop must not run before the program.
      runLoop.perform {}
      let hasRun = runLoop.run(mode: .default, before: .distantFuture)
      runLoop.run(until: .distantFuture)
      runLoop.run()
      CFRunLoopRun()
      let result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, .infinity, false)
      // Foundation's method calls Core Foundation's function.
      runLoop._stop()
      return isFar && !timer.isValid && hasRun && result == .finished
        && sample.pointee.run_loop_calls == sleepless_all_run_loop_calls.rawValue
    }

    private static func installClocks() -> Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      let uptime = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
      _ = DispatchWallTime.now()
      sample.pointee.samples_uptime = true
      let systemUptime = ProcessInfo.processInfo.systemUptime
      sample.pointee.samples_uptime = false
      // A result that was not handed on as expected is another time. The two may count suspensions of the system or
      // not.
      return uptime > 0 && systemUptime > 0 && sleepless_read_each_clock()
        && sample.pointee.clock_calls == sleepless_all_clock_calls.rawValue
        && sleepless_install_clocks()
    }
  }
#endif
