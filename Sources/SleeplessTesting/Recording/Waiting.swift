import Sleepless
import SleeplessSimulation
import VirtualTime
import XCTest

// All waits of recorders are here. Code that is certain that no event can come any more ends a wait with
// `RecorderWait.giveUp`.

/// How a read's wait for events ended.
enum WaitEnd: Equatable, Sendable {
  /// The events have come, or the source has ended.
  case arrived
  /// The read was synchronous and did not wait.
  case notWaited
  /// The read waits in XCTest tests only, and this is none.
  case notInTestCase
  /// The waiting task was cancelled.
  case cancelled
  /// The timeout ran out: so much real time went by without an event.
  case silent(Duration)
  /// For so long nothing in the process could bring an event.
  case atRest(Duration)
  /// It is certain that no event can come, for this reason.
  case nothingMore(String)
  /// The wait was within a wait of XCTest that ended first.
  case interrupted
  /// Another task waits for the same recorder's events.
  case occupied
}

/// One read that waits for a recorder's events.
package final class RecorderWait: Sendable {
  /// Called for every wait that begins in this task, before it suspends. For tests.
  @TaskLocal package static var observer: Observer?

  /// The closure is in a structure, because a closure as a task-local value crashes release builds of 6.3.
  package struct Observer: Sendable {
    let waitBegins: @Sendable (RecorderWait) -> Void

    package init(_ waitBegins: @escaping @Sendable (RecorderWait) -> Void) {
      self.waitBegins = waitBegins
    }
  }

  /// How many unread events are wanted.
  let count: Int
  fileprivate let result = OneShotContinuation<WaitEnd>()

  fileprivate init(count: Int) { self.count = count }

  /// Ends the wait because no event can come any more; the read fails and gives the reason. Does
  /// nothing if the wait is over.
  ///
  /// The reason completes the sentence "Expected a value, but none came: …".
  package func giveUp(_ reason: String) { end(.nothingMore(reason)) }

  /// Ends the wait. Only the first end counts.
  func end(_ end: WaitEnd) { result.resume(returning: end) }
}

extension RecorderCore {
  /// Waits until `count` events are unread or no event can follow.
  func waitForEvents(_ count: Int, isolation: isolated (any Actor)?) async -> WaitEnd {
    let wait = RecorderWait(count: count)
    if let end = begin(wait) { return end }
    // A simulation detects by itself that nothing can run. A guard could end the wait before it does.
    let timers = isSimulated ? nil : WaitTimers(wait)
    defer { finish(wait, timers) }
    return await withTaskCancellationHandler {
      await wait.result.wait()
    } onCancel: {
      wait.end(.cancelled)
    }
  }

  /// Waits in a synchronous XCTest test, and serves the main run loop meanwhile.
  ///
  /// It uses XCTest's own waiter, because a simulated test case reacts to that waiter. A synchronous Swift Testing
  /// test must not block its thread, so there it does not wait.
  func waitInTestCase(_ count: Int) -> WaitEnd {
    let wait = RecorderWait(count: count)
    if let end = begin(wait) { return end }
    if case .swiftTest = reporter.test {
      finish(wait, nil)
      return .notInTestCase
    }
    let timers = isSimulated ? nil : WaitTimers(wait)
    defer { finish(wait, timers) }
    let expectation = XCTestExpectation(description: "an event, or the timeout")
    let result = Locked<WaitEnd?>(nil)
    wait.result.onResume { end in
      result.withLock { $0 = end }
      expectation.fulfill()
    }
    let day = 86_400
    // real time: the timeout ends the wait; a day stands for no limit. In a simulation it is a day of virtual time.
    let waited = XCTWaiter(delegate: nil).wait(for: [expectation], timeout: TimeInterval(day))
    if let end = result.withLock({ $0 }) { return end }
    if waited == .interrupted { return .interrupted }
    return isSimulated
      ? .nothingMore("nothing else could run, and a day of virtual time went by")
      : .silent(.seconds(day))
  }

  /// Registers a wait; if it need not begin, returns its end instead.
  private func begin(_ wait: RecorderWait) -> WaitEnd? {
    let end: WaitEnd? = state.withLock { state in
      if state.needNotWait(for: wait.count) { return .arrived }
      if state.waiter != nil { return .occupied }
      state.waiter = wait
      return nil
    }
    guard end == nil else { return end }
    RecorderWait.observer?.waitBegins(wait)
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      simulation.note(waitingFor: "an event of \(name)")
      simulation.onDeadlock {
        wait.giveUp("nothing can run in the simulation any more, and nothing is due")
      }
    }
    return nil
  }

  private var isSimulated: Bool {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return false }
    return Simulation.current != nil
  }

  private func finish(_ wait: RecorderWait, _ timers: WaitTimers?) {
    timers?.cancel()
    state.withLock { $0.waiter = nil }
  }
}

/// What ends a wait in real time if no event comes.
private struct WaitTimers {
  private let hangTimer: HangTimer
  private let restTimer: RestTimer?

  init(_ wait: RecorderWait) {
    let timeout = HangTimeout.interval
    hangTimer = HangTimer(timeout) { wait.end(.silent(timeout)) }
    restTimer = RestTimer(timeout: timeout) { wait.end(.atRest($0)) }
  }

  func cancel() {
    hangTimer.cancel()
    restTimer?.cancel()
  }
}
