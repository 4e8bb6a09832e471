import Sleepless
import SleeplessSimulation
import Testing

/// Gives the detached tasks of a simulated test the task-local values that are bound when the test's code
/// begins. By these values Swift Testing finds the test of a failure.
///
/// Without them, a failure in a detached task would be printed as the failure of an unknown test, and its
/// schedule would pass. Detached tasks do not get values that the code binds later, as usual. XCTest
/// needs no task-local values.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class DetachedTasks: Sendable {
  private struct Source {
    /// Runs code with the values; nil on systems whose runtime does not support it.
    var relay: (any Sendable)?
    /// The end of the running schedule, if several schedules share the relay.
    var end: EndOfTest?
  }

  private let source = Locked(Source())

  /// Returns the options with this object as the maker of detached tasks.
  func options(_ options: Simulation.Options) -> Simulation.Options {
    var options = options
    options.makesDetached = { [self] in make($0) }
    return options
  }

  /// From now on, detached tasks get the values that are bound in the calling task.
  func inheritFromHere() {
    var source = Source()
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *), Test.current != nil {
      source.relay = IssueRelay()
    }
    replace(source)
  }

  /// From now on, helpers made in detached tasks are checked at this end: that of the new schedule.
  func begin(_ end: EndOfTest) { source.withLock { $0.end = end } }

  /// Releases the values.
  func stop() { replace(Source()) }

  private func replace(_ new: Source) {
    // Returns the old values, so that they are released after unlocking.
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
