#if SLEEPLESS_CAPTURES_PROCESS
  import Sleepless
  import VirtualTime

  /// The next time at which a timer of the program's fires, as work of the simulation. It counts as a delay of the code
  /// that has made the timer.
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

    /// Sets it in place of an earlier time. When it is due and the test still runs, `ring` is called.
    func set(after delay: Duration, _ ring: @escaping @Sendable () -> Void) {
      cancel()
      let number = state.withLock { state in
        state.number += 1
        state.isSet = true
        return state.number
      }
      executor.countDelay(of: creator, +1)
      let work = executor.queue.schedule(
        .function { [self] in
          if takeTime(number), executor.isTestRunning { ring() }
        }, after: max(.zero, delay), label: label, at: CallSite())
      state.withLock { if $0.isSet, $0.number == number { $0.work = work } }
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

    /// Takes the time for which it is set; false if that is another one by now, or none.
    private func takeTime(_ number: Int) -> Bool {
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
