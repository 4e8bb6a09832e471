import Sleepless
import SleeplessSimulation
import Testing

/// Gives the detached tasks of a simulated test the task-local values that are bound when the test's code
/// begins. Swift Testing uses these values to find the test that a failure belongs to.
///
/// Without them a failure in a detached task would belong to no test: it would be printed for an unknown
/// test, and its schedule would pass. Detached tasks do not get values that the code binds later, as is
/// usual for them. XCTest does not use task-local values.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class DetachedTasks: Sendable {
  private struct Source {
    /// Runs code with these values; nil on systems whose runtime cannot do that.
    var relay: (any Sendable)?
    /// The end of the current schedule, if several schedules share the relay.
    var end: EndOfTest?
  }

  private let source = Locked(Source())

  /// Returns the options of a simulation whose detached tasks get these values.
  func options(_ options: Simulation.Options) -> Simulation.Options {
    var options = options
    options.makesDetached = { [self] in make($0) }
    return options
  }

  /// Makes detached tasks get the values that are bound where this is called.
  func inheritFromHere() {
    var source = Source()
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *), Test.current != nil {
      source.relay = IssueRelay()
    }
    replace(source)
  }

  /// Makes the detached tasks of the schedule that begins report their unfinished work at the end of that
  /// schedule.
  func begin(_ end: EndOfTest) { source.withLock { $0.end = end } }

  /// Releases the values.
  func stop() { replace(Source()) }

  private func replace(_ new: Source) {
    // The old source is released after the unlock.
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
