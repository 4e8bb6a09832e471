import Sleepless
import SleeplessSimulation

/// Returns when everything that the test has started so far has come to rest.
///
/// In a simulation with automatic time that is when no task can run and none sleeps; with manual
/// time, when no task can run. Background tasks keep nobody waiting.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public func settle(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  await Simulation.require("settle()", at: site)?.settle()
}

/// Returns when everything that a synchronous test has started so far has come to rest.
///
/// For tests of a ``SimulatedTestCase``: it runs the test's tasks, the main actor's among them, on
/// this thread. With `await` it is the other `settle`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public func settle(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  guard let host = Simulation.requireHost("settle()", at: site) else { return }
  host.settle().map { reportSilence("settle()", $0, at: site) }
}

func reportSilence(_ call: String, _ patience: Duration, at site: CallSite) {
  Reporter(at: site).fail(
    """
    \(call) waited \(patience.shortDescription) of real time for a call of Simulation.outside, and \
    gave up.
    Time stands still while such a call is under way.
    """)
}
