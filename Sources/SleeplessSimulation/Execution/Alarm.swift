#if SLEEPLESS_CAPTURES_PROCESS
  import Sleepless
  import VirtualTime

  /// The next time at which a timer of the program's fires, as work of the simulation. If a background task has made
  /// the timer, it counts as a delay of that task.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  final class Alarm: Sendable {
    private struct State {
      var isSet = false
      /// Tells the time for which it is set from earlier ones.
      var number = 0
      var work: WorkToken?
    }

    private let executor: SimulationExecutor
    private let creator: TaskTable.Creator
    private let label: String
    private let state = Locked(State())

    init(_ label: String, of executor: SimulationExecutor, from creator: TaskTable.Creator) {
      (self.label, self.executor, self.creator) = (label, executor, creator)
    }

    /// Sets it in place of an earlier time. When it is due and the test still runs, `action` is called.
    func set(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
      let (number, wasSet, earlier) = state.withLock { state in
        defer { state.isSet = true }
        state.number += 1
        return (state.number, state.isSet, state.work.take())
      }
      earlier?.cancel()
      if !wasSet { executor.countDelay(of: creator, +1) }
      let work = executor.queue.schedule(
        .function { [self] in
          if endIfSet(number), executor.isTestRunning { action() }
        }, after: max(.zero, delay), label: label, at: CallSite())
      let isStillSet = state.withLock { state in
        guard state.isSet, state.number == number else { return false }
        state.work = work
        return true
      }
      // Another thread may have cancelled it, or set another time, before the work was known.
      if !isStillSet { work.cancel() }
      executor.host?.noteDelayedWork()
    }

    func cancel() {
      let (wasSet, work) = state.withLock { state in
        defer { state.isSet = false }
        return (state.isSet, state.work.take())
      }
      work?.cancel()
      if wasSet { executor.countDelay(of: creator, -1) }
    }

    /// Ends the time with that number; false if another one is set by now, or none.
    private func endIfSet(_ number: Int) -> Bool {
      let isDue = state.withLock { state in
        guard state.isSet, state.number == number else { return false }
        (state.isSet, state.work) = (false, nil)
        return true
      }
      if isDue { executor.countDelay(of: creator, -1) }
      return isDue
    }
  }
#endif
