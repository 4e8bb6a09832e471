#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Sleepless
  import VirtualTime

  /// A timer of Foundation that code of a simulation has made.
  ///
  /// The real timer never gets to a real run loop. On the main run loop the timer fires as work of the main queue, as
  /// `DispatchQueues` orders it. On another one it fires while code of the simulation runs that run loop.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  final class RunLoopTimer: Sendable {
    private struct State {
      /// When it fires next; nil for never.
      var due: Duration?
      /// The run loop that it was added to.
      var runLoop: UInt?
      var isOnMain = false
      /// Whether the main queue has a block of it.
      var isOnQueue = false
      /// Whether its function is being called.
      var isFiring = false
      /// Whether it was invalidated, or the simulation is over.
      var isOver = false
    }

    /// The real timer, which is retained while it is on a run loop. A search of memory that found it here would name
    /// this object as what holds it; for the user that is the run loop.
    private let timer: HiddenPointer
    private let callback: sleepless_timer_callback
    private let info: HiddenPointer
    /// Nil if it fires once.
    private let interval: Duration?
    private let executor: SimulationExecutor
    private let creator: TaskTable.Creator
    /// Lets it fire on the main run loop.
    private let alarm: Alarm
    private let state: Locked<State>
    /// Counts the timers in the order in which they were made.
    private let number: Int

    private init(
      _ timer: UnsafeMutableRawPointer, due: Duration?, interval: Duration?,
      callback: @escaping sleepless_timer_callback, info: UnsafeMutableRawPointer?,
      of executor: SimulationExecutor
    ) {
      (self.timer, self.interval) = (HiddenPointer(timer), interval)
      (self.callback, self.info, self.executor) = (callback, HiddenPointer(info), executor)
      creator = executor.creator
      alarm = Alarm("Timer", of: executor, from: creator)
      state = Locked(State(due: due))
      number = Self.madeCount.withLock { count in
        count += 1
        return count
      }
    }

    // MARK: The timers of all simulations

    private static let all = Locked<[HiddenPointer: RunLoopTimer]>([:])
    private static let madeCount = Locked(0)

    private static func find(_ timer: UnsafeMutableRawPointer?) -> RunLoopTimer? {
      all.withLock { $0[HiddenPointer(timer)] }
    }

    private static func forget(_ timer: UnsafeMutableRawPointer?) -> RunLoopTimer? {
      let timer = all.withLock { $0.removeValue(forKey: HiddenPointer(timer)) }
      if timer != nil { sleepless_count_run_loop_timers(-1) }
      return timer
    }

    /// Makes the program's calls come here; false if they cannot be replaced.
    static func installHooks() -> Bool {
      sleepless_install_run_loop_hooks(
        sleepless_run_loop_hooks(
          creates: { owner, timer, left, interval, callback, info in
            let executor = SimulationExecutor.executor(owner!)
            guard executor.path(of: sleepless_main_queue_object()) != nil else { return }
            // One that was never added to a run loop may have been freed, and this one has its place.
            RunLoopTimer.forget(timer)?.end()
            let new = RunLoopTimer(
              timer!, due: executor.instant(after: left),
              interval: interval > 0 ? .nanoseconds(interval) : nil, callback: callback!,
              info: info, of: executor)
            RunLoopTimer.all.withLock { $0[HiddenPointer(timer)] = new }
            sleepless_count_run_loop_timers(1)
          },
          adds: { timer, runLoop, isMain in
            guard let timer = RunLoopTimer.find(timer) else { return false }
            timer.add(to: UInt(bitPattern: runLoop), isMain: isMain)
            return true
          },
          invalidates: { RunLoopTimer.forget($0)?.end() },
          has_date: { timer, left in
            guard let timer = RunLoopTimer.find(timer) else { return false }
            guard let due = timer.state.withLock({ $0.due }) else { return false }
            left!.pointee = (due - timer.now).clampedNanoseconds
            return true
          },
          sets_date: { timer, left in
            guard let timer = RunLoopTimer.find(timer) else { return false }
            timer.alarm.cancel()
            timer.state.withLock { $0.due = timer.executor.instant(after: left) }
            timer.arm()
            timer.wakeOwnRunLoop()
            return true
          },
          is_on_main_actor: { owner in
            SimulationExecutor.executor(owner!).state.withLock { $0.running.isOnMain }
          },
          performs: { owner, runLoop, isMain, block in
            SimulationExecutor.executor(owner!)
              .perform(block!, inRunLoop: UInt(bitPattern: runLoop), isMain: isMain)
          },
          runs: { owner, runLoop, left, purpose in
            SimulationExecutor.executor(owner!).run(
              runLoop, atMost: left < 0 ? nil : .nanoseconds(left), purpose)
          },
          stops: { owner, runLoop, isMain in
            RunLoopRun.stop(
              UInt(bitPattern: runLoop), isMain: isMain,
              by: owner.map { SimulationExecutor.executor($0) })
          }))
    }

    /// Ends the timers of a simulation that are on a run loop.
    static func end(on runLoop: UInt, of executor: SimulationExecutor) {
      for (_, timer) in timers(on: runLoop, of: executor) { timer.invalidate() }
    }

    /// Ends the timers of a simulation that is over.
    static func giveUp(of executor: SimulationExecutor) {
      let timers = all.withLock { $0.values.filter { $0.executor === executor } }
      for timer in timers { forget(timer.timer.pointer)?.end() }
    }

    // MARK: Changes

    private func add(to runLoop: UInt, isMain: Bool) {
      let isNew = state.withLock { state in
        // A timer is on one run loop only; the second mode of that changes nothing.
        guard state.runLoop == nil, !state.isOver else { return false }
        (state.runLoop, state.isOnMain) = (runLoop, isMain)
        return true
      }
      guard isNew else { return }
      sleepless_retain_run_loop_timer(timer.pointer)
      arm()
      if !isMain { executor.state.withLock { $0.dispatchQueues.usesRunLoops = true } }
      wakeOwnRunLoop()
    }

    /// Lets a run loop other than the main one look for its next timer again, if it is run.
    private func wakeOwnRunLoop() {
      guard let runLoop = state.withLock({ $0.isOnMain ? nil : $0.runLoop }) else { return }
      RunLoopRun.wake(runLoop, of: executor)
    }

    private func invalidate() {
      // Another thread may end the timer meanwhile, and release it.
      let isValid = state.withLock { state in
        if !state.isOver { sleepless_retain_run_loop_timer(timer.pointer) }
        return !state.isOver
      }
      guard isValid else { return }
      sleepless_invalidate_timer(timer.pointer)
      release()
    }

    private func end() {
      let wasOnRunLoop = state.withLock { state in
        defer { (state.isOver, state.runLoop, state.due) = (true, nil, nil) }
        return state.runLoop != nil
      }
      alarm.cancel()
      if wasOnRunLoop { release() }
    }

    private func release() {
      // What a dead simulation has is never released.
      guard !executor.state.withLock({ $0.phase.isDead }) else { return }
      sleepless_release_run_loop_timer(timer.pointer)
    }

    private var isFiring: Bool { state.withLock { $0.isFiring } }

    private var now: Duration { executor.timeline.now.duration }

    // MARK: The main run loop

    /// Sets the alarm for the time at which the timer fires next.
    private func arm() {
      let due = state.withLock { $0.isOnMain && !$0.isOver && !$0.isFiring ? $0.due : nil }
      guard let due else { return }
      alarm.set(after: due - now) { [self] in becomeDue() }
      // Another thread may have ended the timer meanwhile.
      if state.withLock({ $0.isOver }) { alarm.cancel() }
    }

    private func becomeDue() {
      let wantsQueue = state.withLock { state in
        defer { state.isOnQueue = true }
        return !state.isOnQueue
      }
      guard wantsQueue else { return }
      executor.addToMainQueue(named: "Timer", from: creator) { [self] in
        state.withLock { $0.isOnQueue = false }
        fire()
      }
    }

    // MARK: Firing

    /// Calls the timer's function if it is due and valid. It does not fire again within its function, even if the function
    /// runs the run loop.
    private func fire() {
      let now = now
      let due = state.withLock { state -> Duration? in
        guard !state.isOver, !state.isFiring, let due = state.due, due <= now else { return nil }
        state.isFiring = true
        // The timer must stay alive if it is invalidated, or the simulation is given up, before the function returns.
        sleepless_retain_run_loop_timer(timer.pointer)
        return due
      }
      guard let due else { return }
      defer { release() }
      sleepless_call_timer(callback, timer.pointer, info.pointer)
      guard let interval else { return sleepless_invalidate_timer(timer.pointer) }
      let end = self.now
      state.withLock { state in
        state.isFiring = false
        // As Core Foundation does: a later date that the function has set counts, an earlier one does not. What the
        // timer has missed meanwhile is left out.
        guard let date = state.due, date <= due else { return }
        state.due = due + interval * ((end - due).count(of: interval) + 1)
      }
      arm()
    }

    /// The timers on a run loop, by their times, which are nil for never. Those due at one instant are in the order in
    /// which they were made.
    static func timers(on runLoop: UInt, of executor: SimulationExecutor) -> [(
      due: Duration?, timer: RunLoopTimer
    )] {
      let timers = all.withLock { $0.values.filter { $0.executor === executor } }
      let never = Duration.seconds(Int64.max)
      return timers.compactMap { timer in
        timer.state.withLock { $0.runLoop == runLoop ? ($0.due, timer) : nil }
      }.sorted { ($0.due ?? never, $0.timer.number) < ($1.due ?? never, $1.timer.number) }
    }

    /// Fires those on a run loop that are due. Returns when the next one is; nil if there is none.
    static func fire(on runLoop: UInt, of executor: SimulationExecutor) -> Duration? {
      for case (let due?, let timer) in timers(on: runLoop, of: executor)
      where due <= executor.timeline.now.duration {
        timer.fire()
      }
      return timers(on: runLoop, of: executor).first { !$0.timer.isFiring }?.due
    }
  }

  /// A pointer as the complement of its address. A search of memory does not find it.
  private struct HiddenPointer: Hashable {
    private let complement: UInt

    init(_ pointer: UnsafeMutableRawPointer?) { complement = ~UInt(bitPattern: pointer) }

    var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: ~complement) }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension SimulationExecutor {
    /// The virtual time in so many nanoseconds; nil for never if they are negative.
    fileprivate func instant(after nanoseconds: Int64) -> Duration? {
      nanoseconds < 0 ? nil : timeline.now.duration + .nanoseconds(nanoseconds)
    }
  }
#endif
