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
///
/// If it cannot go on it is given up, and another one, whose time begins at zero, takes its place for the
/// rest of the test.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct HostedSimulation: Sendable {
  /// What is known of the framework that runs the test.
  package struct Framework: Sendable {
    /// The class of the objects on which it waits for the end of its tasks, which hold them.
    let awaitedClass: ObjectIdentifier
    /// Reads memory that may not be there, to find those objects.
    let readMemory: MemoryReader
    /// Makes it wait no longer.
    let stopWaiting: @Sendable (AnyObject) -> Void
    /// Is told, on the main thread, that a simulation was given up while the framework waited.
    let onGivenUp: @Sendable (GivenUp) -> Void

    package init(
      waitsOn awaitedClass: AnyClass, readMemory: @escaping MemoryReader,
      stopWaiting: @escaping @Sendable (AnyObject) -> Void,
      onGivenUp: @escaping @Sendable (GivenUp) -> Void
    ) {
      self.awaitedClass = ObjectIdentifier(awaitedClass)
      self.readMemory = readMemory
      self.stopWaiting = stopWaiting
      self.onGivenUp = onGivenUp
    }
  }

  /// What became of a simulation that could not go on.
  package struct GivenUp: Sendable {
    package let report: Simulation.Report
    /// Where the test was suspended, if it was and if that can be known.
    package let line: SourceLine?
  }

  /// Why the test's own call could not be brought to its end.
  package enum Halt: Sendable {
    /// Something outside has not answered for so long.
    case silence(Duration)
    case givenUp(GivenUp)
  }

  private let driver: HostedDriver

  package var options: Simulation.Options { driver.options }

  /// Nil where the process was not captured: nothing would belong to it.
  package init?(_ options: Simulation.Options, framework: Framework) {
    guard let capture = CaptureKind.process else { return nil }
    var options = options
    // A test that is given up may never end, and must not go on beside the ones that follow.
    options.isBodyLent = true
    driver = HostedDriver(options, capture: capture, framework: framework)
  }

  fileprivate init(driver: HostedDriver) { self.driver = driver }

  /// Begins to take in what this thread starts.
  package func enter() { driver.begin() }

  package func leave() { _ = sleepless_enter(nil) }

  /// Runs everything started so far until it has come to rest.
  package func settle() -> Halt? { driver.drive(for: .settle) }

  /// Runs everything that can run without time moving; returns the same.
  package func settleAtThisInstant() -> Halt? { driver.drive(for: .settleAtThisInstant) }

  /// Moves virtual time on and runs what becomes due.
  package func advance(by duration: Duration) -> Halt? { driver.advance(by: duration) }

  /// Tells of what was given up where the test's own call has no line.
  package func tell(_ givenUp: GivenUp) { driver.tell(givenUp) }

  /// Ends it, as any simulation ends when its body has.
  package func finish() -> Simulation.Report { driver.finish() }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// The hosted simulation that the calling code is the host of; nil within its tasks, and where
  /// there is none.
  package static var hosted: HostedSimulation? {
    guard let driver = SimulationExecutor.running?.host, TaskPointer.current == nil else {
      return nil
    }
    return HostedSimulation(driver: driver)
  }
}
