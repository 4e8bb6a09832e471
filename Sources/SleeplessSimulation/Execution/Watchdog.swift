import Dispatch
import Sleepless

/// Watches over the simulations that run, and tells when one makes no progress: a job that blocks
/// its thread, or a main actor that takes no jobs.
///
/// One timer serves all of them, and only while there are any. Time in which the machine does not
/// answer counts for a tenth, as in `GuardTimer`; so does time in which it keeps from the process what
/// its threads ask for, since the one that is watched may be among them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
enum Watchdog {
  private struct Watch {
    let executor: SimulationExecutor
    let onSilence: @Sendable () -> Void
    var steps = -1
    var silence = Duration.zero
  }

  private struct State {
    var watches: [ObjectIdentifier: Watch] = [:]
    var isTicking = false

    var tick: Duration { watches.values.map(\.executor.options.patience).min()! / 10 }
  }

  private static let state = Locked(State())

  /// Begins to watch; `onSilence` is called once, if there is no step for as long as its guard.
  static func add(_ executor: SimulationExecutor, onSilence: @escaping @Sendable () -> Void) {
    let tick = state.withLock { state -> Duration? in
      state.watches[ObjectIdentifier(executor)] = Watch(executor: executor, onSilence: onSilence)
      defer { state.isTicking = true }
      return state.isTicking ? nil : state.tick
    }
    if let tick { startTick(tick) }
  }

  /// Ends the watch; false if it has ended already, with silence.
  static func remove(_ executor: SimulationExecutor) -> Bool {
    let watch = state.withLock { $0.watches.removeValue(forKey: ObjectIdentifier(executor)) }
    return watch != nil
  }

  private static func startTick(_ tick: Duration) {
    // real time: it is what the guard is about
    let queue = DispatchQueue.global(qos: .userInitiated)
    let start = queue.now
    let before = ProcessorSupply()
    queue.schedule(after: tick) {
      // Threads are asked for, not tasks: the job that is looked for may hold the tasks' threads.
      let time = queue.now - start
      let hasAnswered = time - tick <= max(tick / 10, .milliseconds(10))
      var supply = before
      endTick(hasAnswered && !supply.wasShort(for: time) ? tick : tick / 10)
    }
  }

  private static func endTick(_ silence: Duration) {
    let (silent, next) = state.withLock { state in
      var silent: [Watch] = []
      for (id, watch) in state.watches {
        // Who waits for an actor that is never left makes no progress either.
        let (steps, isWaiting) = watch.executor.state.withLock { state in
          (state.steps, state.driver != nil && state.visit == nil)
        }
        var watch = watch
        watch.silence = steps == watch.steps && !isWaiting ? watch.silence + silence : .zero
        watch.steps = steps
        let isSilent = watch.silence >= watch.executor.options.patience
        state.watches[id] = isSilent ? nil : watch
        if isSilent { silent.append(watch) }
      }
      state.isTicking = !state.watches.isEmpty
      return (silent, state.isTicking ? state.tick : nil)
    }
    for watch in silent { watch.onSilence() }
    if let next { startTick(next) }
  }
}
