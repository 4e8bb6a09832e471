import SleeplessSimulation
import Testing

/// Ordinary code with nothing injected; only the log is the test's.
struct Program: Sendable, CustomTestStringConvertible {
  let name: String
  /// Its events in the order first come, first served.
  let runLog: [String]
  /// Whether more than one order is possible.
  let hasOrders: Bool
  let body: @Sendable (RunLog) async throws -> Void

  init(
    _ name: String, runLog: [String], hasOrders: Bool = true,
    body: @escaping @Sendable (RunLog) async throws -> Void
  ) {
    self.name = name
    self.runLog = runLog
    self.hasOrders = hasOrders
    self.body = body
  }

  var testDescription: String { name }

  /// Everything that the tests below run.
  static let all = tasks + actors + sleeps + streams + values
}

/// The result of a simulation of a program: everything that must be the same with the same seed.
struct Course: Equatable, Sendable {
  let runLog: [String]
  let trace: [StepRecord]
  let elapsed: Duration
  let ending: String
  let error: String?
  let externalResumptionCount: Int
  let unfinishedTasks: [Int]
}

extension Program {
  func course(_ order: Simulation.Options.Order = .firstCome) async -> Course {
    let runLog = RunLog()
    var options = Simulation.Options(order: order)
    options.recordsSteps = true
    let outcome = await Simulation.run(options) { try await body(runLog) }
    return Course(runLog, outcome)
  }
}

extension Course {
  init(_ runLog: RunLog, _ outcome: Simulation.Outcome<Void>) {
    self.runLog = runLog.entries
    trace = outcome.report.trace
    elapsed = outcome.report.elapsed
    ending = "\(outcome.report.ending)"
    error = outcome.result.flatMap { if case .failure(let error) = $0 { "\(error)" } else { nil } }
    externalResumptionCount = outcome.report.externalResumptionCount
    unfinishedTasks = outcome.report.unfinishedTasks.map(\.number)
  }
}
