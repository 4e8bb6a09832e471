import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation

/// Waits until objects are released, woken by the release itself where the runtime reports it.
///
/// While anything waits, a thread of its own checks after each release of an object. On systems that
/// report no releases the main thread checks every millisecond: see `ObjectReference`.
package final class ReleaseWatch: Sendable {
  package static let shared = ReleaseWatch()

  /// One wait for objects to be released.
  private final class Waiter: Sendable {
    let isOver: @Sendable () -> Bool
    let end = OneShotContinuation<Void>()
    let timer = Locked<HangTimer?>(nil)

    init(isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }

    func stopTimer() { timer.withLock { $0.take() }?.cancel() }
  }

  private let waiters = Locked<(all: [Waiter], isWatching: Bool)>(([], false))
  private let tellsEnds: Bool

  /// Makes a watch; `tellsEnds` says whether the runtime reports releases.
  package init(
    tellsEnds: Bool = sleepless_can_watch() && !sleepless_fact_fails(sleepless_fact_object_ends)
  ) {
    self.tellsEnds = tellsEnds
  }

  /// Waits until `isOver` is true or the time is up. `isOver` is evaluated after releases of objects.
  ///
  /// In a simulation, its tasks must have come to rest before. The wait counts as a wait for the outside,
  /// so that the caller can report what holds the objects.
  package func wait(until isOver: @escaping @Sendable () -> Bool, timeout: Duration) async {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current
    else { return await begin(isOver, timeout).end.wait() }
    await simulation.waitForOutside(hasHappened: isOver) { end in
      let waiter = begin(isOver, timeout)
      waiter.end.onResume { _ in end() }
      return { self.end(waiter) }
    }
  }

  /// Does the same for synchronous code; on the main thread it serves the run loop meanwhile, so that the
  /// main actor can run.
  func waitHere(until isOver: @escaping @Sendable () -> Bool, timeout: Duration) {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current
    else { return begin(isOver, timeout).end.waitHere() }
    // The wait has a timeout of its own.
    simulation.unwatched { begin(isOver, timeout).end.waitHere() }
  }

  private func begin(_ isOver: @escaping @Sendable () -> Bool, _ timeout: Duration) -> Waiter {
    Self.waitCount?.withLock { $0 += 1 }
    let waiter = Waiter(isOver: isOver)
    let startsWatching = waiters.withLock { waiters in
      waiters.all.append(waiter)
      defer { waiters.isWatching = true }
      return !waiters.isWatching
    }
    if tellsEnds { sleepless_begin_watching() }
    if startsWatching {
      if tellsEnds {
        outsideSimulations { Thread.detachNewThread { self.watch() } }
      } else {
        outsideSimulations { DispatchQueue.main.async { self.poll() } }
      }
    }
    // The timer starts last: a short one would otherwise fire before the waiter is registered.
    waiter.timer.withLock { $0 = HangTimer(timeout) { [weak self] in self?.end(waiter) } }
    if waiter.end.isResumed { waiter.stopTimer() }
    // The objects may have been released before the waiter was registered.
    sleepless_wake()
    return waiter
  }

  private func end(_ waiter: Waiter) {
    let isFirst = waiters.withLock { waiters in
      guard let index = waiters.all.firstIndex(where: { $0 === waiter }) else { return false }
      waiters.all.remove(at: index)
      return true
    }
    guard isFirst else { return }
    if tellsEnds { sleepless_end_watching() }
    waiter.stopTimer()
    waiter.end.resume()
    sleepless_wake()
  }

  private func watch() {
    while check() { sleepless_wait_for_end() }
  }

  private func poll() {
    guard check() else { return }
    // real time: no release is reported here
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.001) { self.poll() }
  }

  /// Ends the waits that are over; false if there are none left.
  private func check() -> Bool {
    let all = waiters.withLock { waiters -> [Waiter]? in
      waiters.isWatching = !waiters.all.isEmpty
      return waiters.isWatching ? waiters.all.map { $0 } : nil
    }
    guard let all else { return false }
    for waiter in all where waiter.isOver() { end(waiter) }
    return true
  }
}
