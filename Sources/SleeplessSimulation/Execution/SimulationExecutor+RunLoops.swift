#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Foundation
  import Sleepless
  import VirtualTime

  /// Run loops of Foundation and Core Foundation. The main one is always run: its timers and performed blocks are work
  /// of the main queue. While code on the main actor runs it, its thread is blocked, and runs the jobs of the main
  /// actor meanwhile.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension SimulationExecutor {
    /// Gives a block of the main run loop to the main queue.
    func addToMainQueue(
      named name: String, from creator: TaskTable.Creator, _ code: @escaping () -> Void
    ) {
      let block: @convention(block) () -> Void = code
      addToMainQueue(unsafeBitCast(block, to: UnsafeRawPointer.self), named: name, from: creator)
    }

    private func addToMainQueue(
      _ block: UnsafeRawPointer, named name: String?, from creator: TaskTable.Creator
    ) {
      let queue = sleepless_main_queue_object()!
      guard let path = QueuePath(of: queue) else { return }
      add(
        QueueWork(
          block, on: queue, path: path, isBarrier: false, name: name, isOfRunLoop: true,
          from: creator))
    }

    /// Takes a block for a run loop.
    func perform(_ block: UnsafeRawPointer, inRunLoop runLoop: UInt, isMain: Bool) -> Bool {
      guard path(of: sleepless_main_queue_object()) != nil else { return false }
      if isMain {
        addToMainQueue(block, named: "RunLoop.main", from: creator)
      } else {
        let copy = PerformedBlock(block)
        kept.withLock { $0.runLoopBlocks[runLoop, default: []].append(copy) }
        state.withLock { $0.dispatchQueues.usesRunLoops = true }
        RunLoopRun.wake(runLoop, of: self)
      }
      return true
    }

    /// Forgets the timers and blocks that a block of a queue has left on the run loop of its thread. Otherwise a later
    /// block on that thread would run them, and which block that is depends on the threads.
    func forgetRunLoop() {
      let runLoop = UInt(bitPattern: sleepless_current_run_loop())
      RunLoopTimer.end(on: runLoop, of: self)
      let blocks = kept.withLock { $0.runLoopBlocks.removeValue(forKey: runLoop) }
      // What they hold is released without the lock.
      withExtendedLifetime(blocks) {}
    }

    /// Runs the run loop of the calling code.
    func run(
      _ runLoop: UnsafeMutableRawPointer?, atMost timeout: Duration?,
      _ purpose: sleepless_run_loop_purpose
    ) -> sleepless_run_loop_result {
      if let runLoop {
        // The real function returns at once if the run loop is another thread's.
        let runLoop = Unmanaged<RunLoop>.fromOpaque(runLoop).takeUnretainedValue()
        guard runLoop === RunLoop.current else { return sleepless_run_loop_is_real }
      }
      let isOnStackOfTest = host?.isOnStackOfTest ?? false
      guard isOnStackOfTest || taskToBlock != nil else { return sleepless_run_loop_is_real }
      let run = RunLoopRun(
        of: UInt(bitPattern: sleepless_current_run_loop()),
        isMain: isOnStackOfTest || state.withLock { $0.running.isOnMain }, purpose,
        atMost: timeout, in: self)
      run.begin()
      defer { run.end() }
      if isOnStackOfTest { return host!.run(run) }
      return run.isMain ? runMain(run) : runOwn(run)
    }

    private func runMain(_ run: RunLoopRun) -> sleepless_run_loop_result {
      // Without a host the main actor's jobs run in blocks of the main queue, and Dispatch calls no other one in those.
      let callsQueues = host != nil
      let isOfMainQueue = state.withLock { state in
        if !callsQueues { state.dispatchQueues.beginRunWithoutQueues() }
        return state.dispatchQueues.beginMainRun()
      }
      if isOfMainQueue { startQueueWork() }
      defer {
        state.withLock { state in
          if isOfMainQueue { state.dispatchQueues.endMainRun() }
          if !callsQueues { state.dispatchQueues.endRunWithoutQueues() }
        }
        if !callsQueues {
          startQueueWork()
          letWaitersGoOnAfterClose()
        }
      }
      return block(in: run, for: run.timeout) ? run.result : sleepless_run_loop_is_real
    }

    /// Runs the run loop of this thread, which is not the main one.
    private func runOwn(_ run: RunLoopRun) -> sleepless_run_loop_result {
      let end = run.timeout.map { timeline.now.duration + $0 }
      var hasRun = false
      while true {
        run.beginRound()
        let blocks = kept.withLock { $0.runLoopBlocks.removeValue(forKey: run.runLoop) ?? [] }
        let isEmpty = blocks.isEmpty && RunLoopTimer.timers(on: run.runLoop, of: self).isEmpty
        if isEmpty, !hasRun, !sleepless_run_loop_has_sources() {
          return sleepless_run_loop_is_empty
        }
        hasRun = true
        for block in blocks { sleepless_call_block(block.pointer) }
        let next = RunLoopTimer.fire(on: run.runLoop, of: self)
        let now = timeline.now.duration
        let hasTimedOut =
          (end.map { now >= $0 } ?? false) || state.withLock { $0.blocked.wereTooMany }
        if run.isOver || hasTimedOut { return run.result }
        // As Foundation's, a run loop without timers, blocks and sources has nothing to wait for.
        let hasWork =
          !RunLoopTimer.timers(on: run.runLoop, of: self).isEmpty
          || kept.withLock { $0.runLoopBlocks[run.runLoop] != nil }
        guard hasWork || sleepless_run_loop_has_sources() else {
          return sleepless_run_loop_is_finished
        }
        let wakeUp = [next, end].compactMap { $0 }.min()
        guard block(in: run, for: wakeUp.map { max(.zero, $0 - now) }) else { return run.result }
      }
    }
  }

  /// A block that a run loop is to run.
  final class PerformedBlock: @unchecked Sendable {
    // Unchecked because of the pointer, which is only read.
    let pointer: UnsafeRawPointer

    init(_ block: UnsafeRawPointer) { pointer = UnsafeRawPointer(sleepless_copy_block(block)) }
    deinit { sleepless_release_block(pointer) }
  }
#endif
