import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// A simulation of an XCTest test. The test runs on the main thread, or XCTest waits there for its
/// asynchronous body.
///
/// Between ``enter()`` and ``leave()`` every task that the main thread creates belongs to the simulation.
/// The simulation is driven from the main thread: by ``settle()`` and ``advance(by:)``, by calls of the test that
/// block the thread, and whenever the thread runs its run loop. XCTest runs the run loop while it waits for an
/// asynchronous test.
///
/// A simulation that cannot go on ends. Another one takes its place for the rest of the test, and its time
/// begins at zero.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct HostedSimulation: Sendable {
  /// The facts about the test framework that the simulation needs.
  package struct Framework: Sendable {
    /// The class of the objects on which the framework waits for its tasks. The tasks retain them.
    let awaitedClass: ObjectIdentifier
    /// Reads memory that may not be mapped, to find those objects.
    let readMemory: MemoryReader
    /// Ends the framework's wait on an object.
    let stopWaiting: @Sendable (AnyObject) -> Void
    /// Is called on another thread if a job has kept its thread for as long as the hang timeout, or if the simulation
    /// cannot go on and a job blocks the main thread.
    let onBlocked: @Sendable (Simulation.Report) -> Void
    /// Is called on the main thread if a simulation ends because it cannot go on while the framework
    /// waits.
    let onGivenUp: @Sendable (GivenUp) -> Void

    package init(
      waitsOn awaitedClass: AnyClass, readMemory: @escaping MemoryReader,
      stopWaiting: @escaping @Sendable (AnyObject) -> Void,
      onBlocked: @escaping @Sendable (Simulation.Report) -> Void,
      onGivenUp: @escaping @Sendable (GivenUp) -> Void
    ) {
      self.awaitedClass = ObjectIdentifier(awaitedClass)
      self.readMemory = readMemory
      self.stopWaiting = stopWaiting
      self.onBlocked = onBlocked
      self.onGivenUp = onGivenUp
    }
  }

  /// The result of a simulation that could not go on.
  package struct GivenUp: Sendable {
    package let report: Simulation.Report
    /// The line where the test was suspended, if it was and if the line can be known.
    package let line: SourceLine?
  }

  /// Why a call of the test could not finish.
  package enum Halt: Sendable {
    /// Time has moved as often as it may, and not everything is at rest.
    case restless
    /// Work outside the simulation has not ended for this long.
    case silence(Duration)
    case givenUp(GivenUp)
    /// The simulation could not go on, and the test has failed because of that.
    case told
  }

  private let driver: HostedDriver

  package var options: Simulation.Options { driver.options }

  /// Nil if the process is not captured: no task would belong to the simulation.
  package init?(_ options: Simulation.Options, framework: Framework) {
    guard let capture = CaptureKind.process else { return nil }
    var options = options
    // A test that cannot go on may never end, and must not run beside the tests that follow.
    options.isBodyLent = true
    driver = HostedDriver(options, capture: capture, framework: framework)
  }

  fileprivate init(driver: HostedDriver) { self.driver = driver }

  /// Begins a simulation: the tasks that this thread creates belong to it.
  package func enter() { driver.begin(driver.options) }

  package func leave() { _ = sleepless_enter(nil) }

  /// Runs everything that has been started until it is at rest.
  ///
  /// It gives up when time has moved so many times and there is no rest.
  package func settle(withinMoves moves: Int = .max) -> Halt? { driver.settle(withinMoves: moves) }

  /// Runs everything that can run without time moving.
  package func settleAtThisInstant() -> Halt? { driver.drive(for: .settleAtThisInstant) }

  /// Moves virtual time on, and runs everything that becomes due by then.
  package func advance(by duration: Duration) -> Halt? { driver.advance(by: duration) }

  /// Reports a simulation that could not go on, if no call of the test has a line to report it at.
  package func report(_ givenUp: GivenUp) { driver.report(givenUp) }

  /// Ends the simulation, as any simulation ends when its body has ended.
  package func finish() -> Simulation.Report { driver.finish() }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// The hosted simulation that the calling code drives; nil in tasks, and outside hosted simulations.
  package static var hosted: HostedSimulation? {
    guard let driver = SimulationExecutor.running?.host, TaskPointer.current == nil else {
      return nil
    }
    return HostedSimulation(driver: driver)
  }
}
