import Dispatch
import Sleepless

/// Watches the simulations that run, and reports one that makes no progress: because a job blocks its
/// thread, or because the main actor runs no jobs.
///
/// One timer serves all simulations, and runs only while there are any. As in `HangTimer`, a tick counts
/// for a tenth if the machine did not run the timer in time, or kept the process's threads from its cores:
/// the thread of the simulation may have been one of them. It counts for a tenth as well for a simulation that
/// waits for the main actor while the process computes: another test may use the main actor. The library's own
/// work that takes long, a search of the memory, is not watched.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
enum Watchdog {
  /// Watches simulations that follow one another, until it is closed.
  final class Watch: Sendable {
    private struct Subject {
      let executor: SimulationExecutor
      let onLoss: OnLoss
      var steps = -1
      var silence = Duration.zero
    }

    /// Is called when the simulation goes on without its driver, with the report if it has ended.
    typealias OnLoss = @Sendable (Simulation.Report?) -> Void

    // Each watch has a lock of its own: thousands of short simulations begin and end between two ticks.
    private let subject = Locked<Subject?>(nil)
    private let isOpen = Locked(false)

    /// Begins to watch a simulation. `onLoss` is called once, if there is no step for its timeout, or if it ends
    /// while a job blocks its driver's thread.
    func begin(_ executor: SimulationExecutor, onLoss: @escaping OnLoss) {
      subject.withLock { $0 = Subject(executor: executor, onLoss: onLoss) }
      let wasOpen = isOpen.withLock { isOpen in
        defer { isOpen = true }
        return isOpen
      }
      if !wasOpen { Watchdog.add(self) }
    }

    /// Ends the watch of a simulation; false if it has ended already.
    func end(_ executor: SimulationExecutor) -> Bool {
      subject.withLock { subject in
        guard subject?.executor === executor else { return false }
        subject = nil
        return true
      }
    }

    /// Ends the watch of a simulation that has ended while a job blocks its driver's thread.
    func loseDriver(of executor: SimulationExecutor, with report: Simulation.Report) {
      let onLoss = subject.withLock { subject in
        subject?.executor === executor ? subject.take()?.onLoss : nil
      }
      onLoss?(report)
    }

    func close() { Watchdog.remove(self) }

    fileprivate var timeout: Duration? { subject.withLock { $0?.executor.options.timeout } }

    /// Returns the function to call if there has been no step for too long.
    fileprivate func check(after tick: Tick) -> (@Sendable () -> Void)? {
      subject.withLock { subject in
        guard let executor = subject?.executor else { return nil }
        let isAnythingDue = executor.timeline.count > 0
        var time = tick.worth
        let (steps, isWaiting) = executor.state.withLock { state in
          if state.unwatchedCalls > 0 { return (state.steps, true) }
          if case .waitingForMainActor = state.driver { time = tick.worthForMainActor }
          // Between its jobs a synchronous test may take its time, unless it waits for a lock that a blocked job has,
          // or in real time for what the simulation would do.
          if let host = executor.host, !host.isDriving {
            let mayWaitForSimulation =
              RuntimeVerdict.factsOfRealWaits != nil && (state.hasJobs || isAnythingDue)
            let mayWaitForJob = !state.blocked.all.isEmpty || mayWaitForSimulation
            return (state.steps, !mayWaitForJob || !CPUContention.mainThreadWaitsForLock)
          }
          guard case .suspended = state.driver else { return (state.steps, false) }
          // A driver that waits for the job in an actor makes no progress: the job may never end.
          return (state.steps, state.inActor.job == nil)
        }
        subject!.silence = steps == subject!.steps && !isWaiting ? subject!.silence + time : .zero
        subject!.steps = steps
        guard subject!.silence >= executor.options.timeout else { return nil }
        return (subject.take()?.onLoss).map { onLoss in { onLoss(nil) } }
      }
    }
  }

  /// A tick that has ended: how much of it counts, also for a simulation that waits for the main actor.
  fileprivate struct Tick {
    let worth, worthForMainActor: Duration
  }

  private struct State {
    var watches: [ObjectIdentifier: Watch] = [:]
    /// The length of the tick under way, if there is one, and its number.
    var tick: Duration?
    var number = 0

    /// Begins the next tick, if a simulation is watched.
    mutating func beginTick() -> (tick: Duration, number: Int)? {
      let timeout = watches.values.compactMap(\.timeout).min() ?? .seconds(1)
      tick = watches.isEmpty ? nil : timeout / 10
      number += 1
      return tick.map { ($0, number) }
    }
  }

  private static let state = Locked(State())

  private static func add(_ watch: Watch) {
    let next = state.withLock { state -> (tick: Duration, number: Int)? in
      state.watches[ObjectIdentifier(watch)] = watch
      // A watch with a short timeout does not wait for the end of a longer tick.
      let isInTime = watch.timeout.map { $0 / 10 >= state.tick ?? .zero } ?? true
      return state.tick == nil || !isInTime ? state.beginTick() : nil
    }
    if let next { startTick(next.tick, number: next.number) }
  }

  private static func remove(_ watch: Watch) {
    state.withLock { _ = $0.watches.removeValue(forKey: ObjectIdentifier(watch)) }
  }

  /// If this tick follows another, `contention` has measured up to the end of that tick.
  private static func startTick(
    _ tick: Duration, number: Int, contention: CPUContention = CPUContention()
  ) {
    // real time: the timeout is one of real time
    // As our protocol: Combine gives queues a `now` of another type.
    let queue: any SchedulerType = DispatchQueue.global(qos: .userInitiated)
    let start = queue.now
    queue.schedule(after: tick) {
      // A timer of Dispatch, not a task: the blocked job may hold the threads of all tasks.
      let time = queue.now - start
      let hasAnswered = time - tick <= max(tick / 10, .milliseconds(10))
      var contention = contention
      let (wasShort, wasBusy) = contention.demand()
      let worth = hasAnswered && !wasShort ? tick : tick / 10
      let ended = Tick(worth: worth, worthForMainActor: wasBusy ? tick / 10 : worth)
      guard let next = endTick(number, ended) else { return }
      startTick(next.tick, number: next.number, contention: contention)
    }
  }

  /// Begins the next tick, if a simulation is watched.
  private static func endTick(_ number: Int, _ tick: Tick) -> (tick: Duration, number: Int)? {
    let watches = state.withLock { $0.number == number ? Array($0.watches.values) : nil }
    // A shorter tick has taken its place.
    guard let watches else { return nil }
    for watch in watches {
      guard let onSilence = watch.check(after: tick) else { continue }
      remove(watch)
      onSilence()
    }
    return state.withLock { $0.number == number ? $0.beginTick() : nil }
  }
}
