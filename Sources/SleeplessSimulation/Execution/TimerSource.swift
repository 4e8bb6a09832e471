#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Sleepless
  import VirtualTime

  /// A timer source that code of a simulation has created.
  ///
  /// The timer of the real source is never set. When the timer fires here, the source's queue gets a block that calls
  /// the event handler. Until that block begins, later firings only count.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  final class TimerSource: @unchecked Sendable {
    // Unchecked because of the pointers: the real source outlives this object, and the queue is retained.

    /// A copy of a block of the program's.
    private final class Block: @unchecked Sendable {
      // Unchecked because of the pointer, which is only read.
      let pointer: UnsafeRawPointer

      init(_ block: UnsafeRawPointer) { pointer = UnsafeRawPointer(sleepless_copy_block(block)) }
      deinit { sleepless_release_block(pointer) }
    }

    private struct State {
      /// One more than the calls of `suspend` that no `resume` has answered, until the source is activated.
      var suspensions = 1
      var isActivated = false
      var isCancelled = false
      /// Whether the program has released it, or the simulation is over.
      var isOver = false

      /// When the timer fires next, or has fired first since the latest event; nil if it is not set.
      var due: Duration?
      /// Nil if it fires once.
      var interval: Duration?
      var hasFired = false
      /// How many times it had fired for the event that is handled.
      var data = 0

      var handler: Block?
      var cancelHandler: Block?
      /// Whether the queue has a block of the source.
      var isOnQueue = false

      var isEnded: Bool { isCancelled || isOver }

      /// Whether the queue is to get a block now.
      var wantsQueue: Bool {
        guard !isOnQueue, suspensions == 0 else { return false }
        // The cancel handler of a source that is released after its cancellation still runs.
        return isCancelled ? cancelHandler != nil : hasFired && !isOver
      }
    }

    private let source: UnsafeMutableRawPointer
    private let queue: UnsafeMutableRawPointer
    private let path: QueuePath
    private let executor: SimulationExecutor
    private let creator: TaskTable.Creator
    private let alarm: Alarm
    private let state = Locked(State())

    private init(
      _ source: UnsafeMutableRawPointer, on queue: UnsafeMutableRawPointer, path: QueuePath,
      of executor: SimulationExecutor
    ) {
      (self.source, self.queue, self.path, self.executor) = (source, queue, path, executor)
      creator = executor.creator
      alarm = Alarm("timer", of: executor, from: creator)
      sleepless_retain_dispatch(queue)
    }

    deinit { sleepless_release_dispatch(queue) }

    // MARK: The sources of all simulations

    private static let all = Locked<[UInt: TimerSource]>([:])

    private static func find(_ source: UnsafeMutableRawPointer?) -> TimerSource? {
      all.withLock { $0[UInt(bitPattern: source)] }
    }

    /// Makes the program's calls come here; false if they cannot be replaced.
    static func installHooks() -> Bool {
      sleepless_install_timer_hooks(
        sleepless_timer_hooks(
          creates: { owner, source, queue in
            let executor = SimulationExecutor.executor(owner!)
            guard let path = executor.path(of: queue!) else { return }
            let timer = TimerSource(source!, on: queue!, path: path, of: executor)
            TimerSource.all.withLock { $0[UInt(bitPattern: source)] = timer }
            sleepless_count_timers(1)
          },
          sets_times: { source, start, interval in
            guard let timer = TimerSource.find(source) else { return false }
            timer.set(start, interval)
            return true
          },
          sets_handler: { source, block, isForCancellation in
            guard let timer = TimerSource.find(source) else { return false }
            timer.setHandler(block, isForCancellation: isForCancellation)
            return true
          },
          data: { source in
            TimerSource.find(source).map { timer in Int64(timer.state.withLock { $0.data }) } ?? -1
          },
          changes: { object, change in
            if change == sleepless_timer_is_released {
              TimerSource.forget(object)?.end()
            } else {
              TimerSource.find(object)?.note(change)
            }
          }))
    }

    private static func forget(_ source: UnsafeMutableRawPointer?) -> TimerSource? {
      let timer = all.withLock { $0.removeValue(forKey: UInt(bitPattern: source)) }
      if timer != nil { sleepless_count_timers(-1) }
      return timer
    }

    /// Ends the timers of a simulation that is over. Those that are cancelled later still run their cancel handlers.
    static func giveUp(of executor: SimulationExecutor) {
      let timers = all.withLock { $0.values.filter { $0.executor === executor } }
      for timer in timers {
        guard forget(timer.source) != nil else { continue }
        let state = timer.end()
        if executor.state.withLock({ $0.phase.isDead }) {
          // What a dead simulation has is never released.
          _ = state.handler.map(Unmanaged.passRetained)
          _ = state.cancelHandler.map(Unmanaged.passRetained)
        } else if let handler = state.cancelHandler {
          sleepless_set_cancel_handler(timer.source, handler.pointer)
        }
      }
    }

    // MARK: Changes

    private func set(_ start: UInt64, _ interval: UInt64) {
      let (left, now) = (sleepless_left_until(start, executor.context), now)
      // From a start in the past on, the firings keep their times, and the first event counts those until now.
      let late = left == 0 ? sleepless_late_since(start, executor.context) : 0
      alarm.cancel()
      state.withLock { state in
        state.hasFired = false
        state.interval = interval > Int64.max ? nil : .nanoseconds(max(1, Int64(interval)))
        state.due = left < 0 ? nil : now + .nanoseconds(left - late)
      }
      arm()
    }

    private func setHandler(_ block: UnsafeRawPointer?, isForCancellation: Bool) {
      let handler = block.map(Block.init)
      let earlier = state.withLock { state -> Block? in
        if isForCancellation {
          defer { state.cancelHandler = handler }
          return state.cancelHandler
        }
        defer { state.handler = handler }
        return state.handler
      }
      // What the earlier block holds is released without the lock.
      withExtendedLifetime(earlier) {}
      // As Dispatch does, if the source was cancelled before.
      if isForCancellation { useQueue() }
    }

    private func note(_ change: sleepless_timer_change) {
      state.withLock { state in
        switch change {
        case sleepless_timer_is_suspended: state.suspensions += 1
        case sleepless_timer_is_resumed:
          state.suspensions -= 1
          state.isActivated = true
        case sleepless_timer_is_activated:
          if !state.isActivated { state.suspensions -= 1 }
          state.isActivated = true
        default: state.isCancelled = true
        }
      }
      if change == sleepless_timer_is_cancelled { alarm.cancel() }
      useQueue()
    }

    /// Ends the timer. Returns what it had.
    @discardableResult
    private func end() -> State {
      let before = state.withLock { state in
        let before = state
        state.isOver = true
        // A handler of a cancelled source still runs.
        if !state.isCancelled { (state.handler, state.cancelHandler) = (nil, nil) }
        return before
      }
      alarm.cancel()
      return before
    }

    // MARK: Firing

    /// Sets the alarm for the time at which the timer fires next.
    private func arm() {
      guard let due = state.withLock({ $0.isEnded ? nil : $0.due }) else { return }
      alarm.set(after: due - now) { [self] in fire() }
      // Another thread may have ended the timer meanwhile.
      if state.withLock({ $0.isEnded }) { alarm.cancel() }
    }

    private func fire() {
      state.withLock { $0.hasFired = true }
      useQueue()
    }

    private var now: Duration { executor.timeline.now.duration }

    // MARK: Handlers

    /// Gives the queue a block if there is something to handle.
    private func useQueue() {
      let wantsQueue = state.withLock { state in
        guard state.wantsQueue else { return false }
        state.isOnQueue = true
        return true
      }
      guard wantsQueue else { return }
      let block: @convention(block) () -> Void = { [self] in
        handle()
        state.withLock { $0.isOnQueue = false }
        useQueue()
      }
      let work = QueueWork(
        unsafeBitCast(block, to: UnsafeRawPointer.self), on: queue,
        path: QueuePath(of: queue) ?? path,
        isBarrier: false, isTimed: true, from: creator)
      executor.add(work)
    }

    /// Calls the handler for what has happened until now.
    private func handle() {
      let now = now
      let (handler, hasNewDue) = state.withLock { state -> (Block?, Bool) in
        guard state.suspensions == 0 else { return (nil, false) }
        if state.isCancelled { return (state.cancelHandler.take(), false) }
        guard !state.isOver, state.hasFired, let due = state.due else { return (nil, false) }
        state.hasFired = false
        state.data = 1
        state.due = nil
        if let interval = state.interval {
          let missed = max(0, (now - due).count(of: interval))
          state.data += missed
          state.due = due + interval * (missed + 1)
        }
        return (state.handler, true)
      }
      if hasNewDue { arm() }
      if let handler { sleepless_call_block(handler.pointer) }
    }
  }
#endif
