import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// A simulation whose body is synchronous code on the main thread, or is run by somebody who waits
/// for it there: an XCTest test.
///
/// Between ``enter()`` and ``leave()`` every task that the main thread makes belongs to it. It is
/// driven on the main thread: by ``settle()`` and ``advance(by:)``, and whenever the thread serves
/// its run loop, which is how XCTest waits for an asynchronous test.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct HostedSimulation: Sendable {
  private let executor: SimulationExecutor
  private let driver: HostedDriver

  /// Nil where the process was not captured: nothing would belong to it.
  package init?(
    _ options: Simulation.Options, onStandstill: @escaping @Sendable (Simulation.Report) -> Void
  ) {
    guard let capture = CaptureKind.process else { return nil }
    driver = HostedDriver()
    executor = SimulationExecutor(options, capture: capture, host: driver)
    driver.serve(executor, onStandstill: onStandstill)
  }

  fileprivate init(executor: SimulationExecutor, driver: HostedDriver) {
    self.executor = executor
    self.driver = driver
  }

  /// Begins to take in what this thread starts.
  package func enter() { _ = sleepless_enter(executor.world) }

  package func leave() { _ = sleepless_enter(nil) }

  /// Runs everything started so far until it has come to rest; returns how long it waited for
  /// something outside if that was too long.
  package func settle() -> Duration? { driver.drive(for: .settle) }

  /// Runs everything that can run without time moving; returns the same.
  package func settleAtThisInstant() -> Duration? { driver.drive(for: .settleAtThisInstant) }

  /// Moves virtual time on and runs what becomes due.
  package func advance(by duration: Duration) -> Duration? {
    driver.drive(for: .advance(to: executor.timeline.now.advanced(by: duration)))
  }

  /// Ends it, as any simulation ends when its body has.
  package func finish() -> Simulation.Report { driver.finish() }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// The hosted simulation that the calling code is the host of; nil within its tasks, and where
  /// there is none.
  package static var hosted: HostedSimulation? {
    guard let executor = SimulationExecutor.running, let driver = executor.host,
      TaskPointer.current == nil
    else { return nil }
    return HostedSimulation(executor: executor, driver: driver)
  }
}
