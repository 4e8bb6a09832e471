#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Foundation
  import Sleepless
  import VirtualTime

  /// Run loops of Foundation. The main one is always run: what it runs are blocks of the main queue. While code on the
  /// main actor runs it, its thread is blocked, and runs the jobs of the main actor meanwhile.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension SimulationExecutor {
    /// Gives a block of the simulation to the main queue.
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
      add(QueueWork(block, on: queue, path: path, isBarrier: false, name: name, from: creator))
    }

    /// Takes a block for a run loop.
    func perform(_ block: UnsafeRawPointer, inRunLoop runLoop: UInt, isMain: Bool) -> Bool {
      guard path(of: sleepless_main_queue_object()) != nil else { return false }
      if isMain {
        addToMainQueue(block, named: "RunLoop.main", from: creator)
      } else {
        let copy = PerformedBlock(block)
        runLoopBlocks.withLock { $0[runLoop, default: []].append(copy) }
      }
      return true
    }

    /// Runs a run loop.
    func run(
      _ runLoop: UnsafeMutableRawPointer, atMost timeout: Duration?, stopsAfterWork: Bool
    ) -> sleepless_run_loop_result {
      // The real function returns at once if the run loop is another thread's.
      let runLoop = Unmanaged<RunLoop>.fromOpaque(runLoop).takeUnretainedValue()
      guard runLoop === RunLoop.current else { return sleepless_run_loop_is_real }
      if let host, host.isOnStackOfTest {
        return host.runRunLoop(atMost: timeout, stopsAfterWork: stopsAfterWork)
      }
      guard taskToBlock != nil else { return sleepless_run_loop_is_real }
      if state.withLock({ $0.running.isOnMain }) {
        return runMainRunLoop(atMost: timeout, stopsAfterWork: stopsAfterWork)
          ? sleepless_run_loop_has_run : sleepless_run_loop_is_real
      }
      return runOwnRunLoop(atMost: timeout, stopsAfterWork: stopsAfterWork)
    }

    /// Runs the run loop of this thread, which is not the main one.
    private func runOwnRunLoop(
      atMost timeout: Duration?, stopsAfterWork: Bool
    ) -> sleepless_run_loop_result {
      let runLoop = UInt(bitPattern: sleepless_current_run_loop())
      let end = timeout.map { timeline.now.duration + $0 }
      var hasRun = false
      while true {
        let blocks = runLoopBlocks.withLock { $0.removeValue(forKey: runLoop) ?? [] }
        for block in blocks { sleepless_call_block(block.pointer) }
        let next = RunLoopTimer.fire(on: runLoop, of: self)
        let now = timeline.now.duration
        let hasEnded = (end.map { now >= $0 } ?? false) || state.withLock { $0.blocked.areTooMany }
        guard !hasEnded, !(stopsAfterWork && !blocks.isEmpty) else {
          return sleepless_run_loop_has_run
        }
        // As Foundation's, a run loop without timers has nothing to wait for.
        guard let next else {
          return hasRun || !blocks.isEmpty
            ? sleepless_run_loop_has_run : sleepless_run_loop_is_empty
        }
        hasRun = true
        guard sleep(for: max(.zero, min(next, end ?? next) - now), because: "its run loop") else {
          return sleepless_run_loop_has_run
        }
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
