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
