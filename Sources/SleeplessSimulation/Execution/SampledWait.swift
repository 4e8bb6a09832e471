import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// A wait outside simulations that shows whether the test framework waits as `FrameworkWait` expects it. The
/// wait's timer runs as soon as the wait runs its run loop.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SampledWait: VirtualWait {
  /// What a thread's wait has shown.
  private final class Sample: Sendable {
    struct State {
      var isUnderWay = false
      var runLoop: UInt?
      var isAsExpected = false
    }

    let state = Locked(State())
  }

  private static let timeout = Duration.milliseconds(500)
  private static let sample = ThreadLocal { Sample() }
  /// The wait that is being sampled, for other threads.
  private static let running = Locked<Sample?>(nil)

  private let timer: DispatchWorkItem
  private let queue: DispatchQueue
  private let isTimeoutExact: Bool

  /// Nil on other threads than the sample's.
  init?(timer: DispatchWorkItem, on queue: DispatchQueue, after timeout: Duration) {
    guard Self.sample.value.state.withLock({ $0.isUnderWay }) else { return nil }
    self.timer = timer
    self.queue = queue
    isTimeoutExact = timeout == Self.timeout
  }

  static func isAsExpected(in framework: WaitingFramework) -> Bool {
    let hasPassed = Locked(false)
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let sample = sample.value
      sample.state.withLock { $0.isUnderWay = true }
      running.withLock { $0 = sample }
      let passed = framework.wait(timeout)
      hasPassed.withLock { $0 = passed && sample.state.withLock { $0.isAsExpected } }
      running.withLock { $0 = nil }
      isOver.signal()
    }
    // real time: a framework that waits in another way may never return
    guard isOver.wait(timeout: .now() + .seconds(10)) == .success else { return false }
    return hasPassed.withLock { $0 }
  }

  func run(on runLoop: UInt) {
    let sample = Self.sample.value
    sample.state.withLock { $0.runLoop = runLoop }
    let isKnown = WaitingFramework.shared?.examine()?.evaluate() == true
    queue.sync(execute: timer)
    sample.state.withLock { state in
      state.isAsExpected = isTimeoutExact && isKnown && state.runLoop == nil
    }
  }

  /// Notes that the framework stops a run loop; false if it is not the sample's.
  static func noteStop(of runLoop: UInt) -> Bool {
    guard let sample = running.withLock({ $0 }) else { return false }
    return sample.state.withLock { state in
      guard state.runLoop == runLoop else { return false }
      state.runLoop = nil
      return true
    }
  }
}
