import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation

/// Tells when objects have gone: by the event, where the runtime tells of it.
///
/// A thread of its own looks after each end of an object, for as long as anybody waits. Where ends are
/// not told it looks every millisecond.
final class ReleaseWatch: Sendable {
  static let shared = ReleaseWatch()

  /// Somebody who waits, and hears of it at most once.
  final class Waiter: Sendable {
    fileprivate let isOver: @Sendable () -> Bool
    private let answer: Locked<(@Sendable () -> Void)?>

    fileprivate init(
      isOver: @escaping @Sendable () -> Bool, _ answer: @escaping @Sendable () -> Void
    ) {
      self.isOver = isOver
      self.answer = Locked(answer)
    }

    fileprivate var hasBeenCalled: Bool { answer.withLock { $0 == nil } }

    fileprivate func call() {
      let answer = answer.withLock { $0.take() }
      answer?()
    }
  }

  private let waiters = Locked<(all: [Waiter], isWatching: Bool)>(([], false))
  private let tellsEnds = sleepless_can_watch()

  /// Waits until `isOver`, which is asked when objects have gone, or until the time is up.
  ///
  /// In a simulation nothing can run by then that is part of it. It counts as waiting for what is
  /// outside, so that the caller can say what holds the objects.
  func wait(until isOver: @escaping @Sendable () -> Bool, timeout: Duration) async {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      return await simulation.waitForOutside { end in
        let waiter = begin(isOver, timeout, end)
        return { self.end(waiter) }
      }
    }
    await withUnsafeContinuation { continuation in
      begin(isOver, timeout) { continuation.resume() }
    }
  }

  /// The same for synchronous code; on the main thread it serves the run loop meanwhile, so that the
  /// main actor can run.
  func waitHere(until isOver: @escaping @Sendable () -> Bool, timeout: Duration) {
    let hasEnded = Locked(false)
    let end = DispatchSemaphore(value: 0)
    begin(isOver, timeout) {
      hasEnded.withLock { $0 = true }
      end.signal()
      DispatchQueue.main.async {}  // wakes the run loop
    }
    guard Thread.isMainThread else { return end.wait() }
    while !hasEnded.withLock({ $0 }) {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
    }
  }

  @discardableResult
  private func begin(
    _ isOver: @escaping @Sendable () -> Bool, _ timeout: Duration,
    _ answer: @escaping @Sendable () -> Void
  ) -> Waiter {
    let timer = Locked<HangTimer?>(nil)
    let waiter = Waiter(isOver: isOver) {
      timer.withLock { $0.take() }?.cancel()
      answer()
    }
    let startsWatching = waiters.withLock { waiters in
      waiters.all.append(waiter)
      defer { waiters.isWatching = true }
      return !waiters.isWatching
    }
    if tellsEnds { sleepless_begin_watching() }
    if startsWatching { Thread.detachNewThread { self.watch() } }
    // Not before: a short one could be over before there is anybody to wake.
    timer.withLock { $0 = HangTimer(timeout) { [weak self] in self?.end(waiter) } }
    if waiter.hasBeenCalled { timer.withLock { $0.take() }?.cancel() }
    // It may have gone before anybody was to be told.
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
    waiter.call()
    sleepless_wake()
  }

  private func watch() {
    while true {
      let all = waiters.withLock { waiters -> [Waiter]? in
        waiters.isWatching = !waiters.all.isEmpty
        return waiters.isWatching ? waiters.all.map { $0 } : nil
      }
      guard let all else { return }
      for waiter in all where waiter.isOver() { end(waiter) }
      if tellsEnds {
        sleepless_wait_for_end()
      } else {
        usleep(1000)  // real time: nothing tells of an object's end here
      }
    }
  }
}
