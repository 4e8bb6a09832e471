import Sleepless
import SleeplessSimulation
import Testing

/// The time and a text, in the order in which they were written.
final class QueueLog: Sendable {
  private let entries = Locked<[String]>([])
  var values: [String] { entries.withLock { $0 } }

  func write(_ text: String) {
    let now = Simulation.current?.now.components.seconds
    entries.withLock { $0.append(now.map { "\($0) \(text)" } ?? "outside \(text)") }
  }
}

/// Runs code in a simulation until everything that it has begun is over. Returns what it has written.
/// `externalResumptions` is nil if their number depends on how fast code outside is.
func log(
  externalResumptions: Int? = 0, at location: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (QueueLog) async throws -> Void
) async throws -> [String] {
  let log = QueueLog()
  let outcome = await Simulation.run {
    try await body(log)
    // If the simulation has been given up, the code goes on outside.
    await Simulation.current?.settle()
  }
  try outcome.result?.get()
  let count = outcome.report.externalResumptionCount
  #expect(count == externalResumptions ?? count, sourceLocation: location)
  return log.values
}
