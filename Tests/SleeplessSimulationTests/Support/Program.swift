import SleeplessSimulation
import Testing

/// Code as its author would write it, with nothing injected; only the diary is ours.
struct Program: Sendable, CustomTestStringConvertible {
  let name: String
  /// What it does, first come, first served.
  let diary: [String]
  /// Whether it can do it in more than one order.
  let hasOrders: Bool
  let body: @Sendable (Diary) async throws -> Void

  init(
    _ name: String, diary: [String], hasOrders: Bool = true,
    body: @escaping @Sendable (Diary) async throws -> Void
  ) {
    self.name = name
    self.diary = diary
    self.hasOrders = hasOrders
    self.body = body
  }

  var testDescription: String { name }

  /// Everything that the tests below run.
  static let all = tasks + actors + sleeps + streams + values
}

/// How a simulation of a program went: all of it that has to be the same with the same seed.
struct Course: Equatable, Sendable {
  let diary: [String]
  let trace: [StepRecord]
  let elapsed: Duration
  let ending: String
  let error: String?
  let escapeCount: Int
  let unfinishedTasks: [Int]
}

extension Program {
  func course(_ order: Simulation.Options.Order = .firstCome) async -> Course {
    let diary = Diary()
    var options = Simulation.Options(order: order)
    options.recordsSteps = true
    let outcome = await Simulation.run(options) { try await body(diary) }
    return Course(diary, outcome)
  }
}

extension Course {
  init(_ diary: Diary, _ outcome: Simulation.Outcome<Void>) {
    self.diary = diary.entries
    trace = outcome.report.trace
    elapsed = outcome.report.elapsed
    ending = "\(outcome.report.ending)"
    error = outcome.result.flatMap { if case .failure(let error) = $0 { "\(error)" } else { nil } }
    escapeCount = outcome.report.escapeCount
    unfinishedTasks = outcome.report.unfinishedTasks.map(\.number)
  }
}
