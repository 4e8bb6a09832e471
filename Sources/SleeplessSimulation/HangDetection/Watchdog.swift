import Dispatch
import Sleepless

/// Watches over the simulations that run, and tells when one makes no progress: a job that blocks
/// its thread, or a main actor that takes no jobs.
///
/// One timer serves all of them, and only while there are any. Time in which the machine does not
/// answer counts for a tenth, as in `HangTimer`; so does time in which it keeps from the process what
/// its threads ask for, since the one that is watched may be among them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
enum Watchdog {
  /// Watches over simulations that follow one another, until it is closed.
  final class Watch: Sendable {
    private struct Subject {
      let executor: SimulationExecutor
      let onSilence: @Sendable () -> Void
      var steps = -1
      var silence = Duration.zero
    }

    // Each has a lock of its own: thousands of short simulations begin and end between two ticks.
    private let subject = Locked<Subject?>(nil)
    private let isOpen = Locked(false)

    /// Begins to watch; `onSilence` is called once, if there is no step for as long as its guard.
    func begin(_ executor: SimulationExecutor, onSilence: @escaping @Sendable () -> Void) {
      subject.withLock { $0 = Subject(executor: executor, onSilence: onSilence) }
      let wasOpen = isOpen.withLock { isOpen in
        defer { isOpen = true }
        return isOpen
      }
      if !wasOpen { Watchdog.add(self) }
    }

    /// Ends the watch; false if it has ended already, with silence.
    func end() -> Bool {
      let subject = subject.withLock { $0.take() }
      return subject != nil
    }

    func close() { Watchdog.remove(self) }

    fileprivate var timeout: Duration? { subject.withLock { $0?.executor.options.timeout } }

    /// Returns what is to be called if there has been silence for too long.
    fileprivate func look(after time: Duration) -> (@Sendable () -> Void)? {
      subject.withLock { subject in
        guard let executor = subject?.executor else { return nil }
        // Who waits for an actor that is never left makes no progress either.
        let (steps, isWaiting) = executor.state.withLock { state in
          (state.steps, state.driver != nil && state.jobInActor == nil)
        }
        subject!.silence = steps == subject!.steps && !isWaiting ? subject!.silence + time : .zero
        subject!.steps = steps
        guard subject!.silence >= executor.options.timeout else { return nil }
        return subject.take()?.onSilence
      }
    }
  }

  private struct State {
    var watches: [ObjectIdentifier: Watch] = [:]
    /// How long the tick under way takes, if there is one, and which it is.
    var tick: Duration?
    var number = 0

    /// Begins the next tick, if anybody is watched.
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
      // One with less patience does not wait for the end of a longer tick.
      let isInTime = watch.timeout.map { $0 / 10 >= state.tick ?? .zero } ?? true
      return state.tick == nil || !isInTime ? state.beginTick() : nil
    }
    if let next { startTick(next.tick, number: next.number) }
  }

  private static func remove(_ watch: Watch) {
    state.withLock { _ = $0.watches.removeValue(forKey: ObjectIdentifier(watch)) }
  }

  /// `contention` has been asked at the end of the tick before, if this one follows another.
  private static func startTick(
    _ tick: Duration, number: Int, contention: CPUContention = CPUContention()
  ) {
    // real time: it is what the guard is about
    let queue = DispatchQueue.global(qos: .userInitiated)
    let start = queue.now
    queue.schedule(after: tick) {
      // Threads are asked for, not tasks: the job that is looked for may hold the tasks' threads.
      let time = queue.now - start
      let hasAnswered = time - tick <= max(tick / 10, .milliseconds(10))
      var contention = contention
      let silence = hasAnswered && !contention.wasShort() ? tick : tick / 10
      guard let next = endTick(number, silence: silence) else { return }
      startTick(next.tick, number: next.number, contention: contention)
    }
  }

  /// Begins the next one, if anybody is watched.
  private static func endTick(_ number: Int, silence: Duration) -> (tick: Duration, number: Int)? {
    let watches = state.withLock { $0.number == number ? Array($0.watches.values) : nil }
    // A shorter one has taken its place.
    guard let watches else { return nil }
    for watch in watches {
      guard let onSilence = watch.look(after: silence) else { continue }
      remove(watch)
      onSilence()
    }
    return state.withLock { $0.number == number ? $0.beginTick() : nil }
  }
}
