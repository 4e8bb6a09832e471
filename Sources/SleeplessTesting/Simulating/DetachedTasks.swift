import Sleepless
import SleeplessSimulation
import Testing

/// Gives the detached tasks of a simulated test the task-local values by which Swift Testing knows whose
/// a failure is: those that are bound when the test's code begins.
///
/// Otherwise a failure there would be nobody's: printed as that of an unknown test, while the schedule
/// that it belongs to passes. What the code binds later they do not get, as ever. XCTest asks no task.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class DetachedTasks: Sendable {
  private struct Source {
    /// Nil on systems whose runtime cannot run one.
    var relay: (any Sendable)?
    /// The end of the schedule, if there are several for one relay.
    var end: EndOfTest?
  }

  private let source = Locked(Source())

  /// The options of a simulation whose detached tasks are these.
  func options(_ options: Simulation.Options) -> Simulation.Options {
    var options = options
    options.makesDetached = { [self] in make($0) }
    return options
  }

  /// Has them get the values that are bound here.
  func inheritFromHere() {
    var source = Source()
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *), Test.current != nil {
      source.relay = IssueRelay()
    }
    replace(source)
  }

  /// Has those of the schedule that begins report what they leave over at its own end.
  func begin(_ end: EndOfTest) { source.withLock { $0.end = end } }

  /// Lets go of the values.
  func stop() { replace(Source()) }

  private func replace(_ new: Source) {
    // What goes, goes with the lock open.
    _ = source.withLock { source in
      defer { source = new }
      return source
    }
  }

  private func make(_ make: @escaping @Sendable () -> Void) -> Bool {
    let source = source.withLock { $0 }
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *),
      let relay = source.relay as? IssueRelay
    else { return false }
    relay.run {
      guard let end = source.end else { return make() }
      EndOfTest.$current.withValue(end, operation: make)
    }
    return true
  }
}
