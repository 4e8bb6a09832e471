import Sleepless

/// The first difference between two runs that should take the same steps.
package struct TraceDifference: Sendable {
  /// Counted from 1.
  package let step: Int
  /// The step of each run; nil if the run had ended.
  package let first: ScheduleTrace.Step?
  package let second: ScheduleTrace.Step?

  /// Nil if they do not differ.
  package init?(_ first: ScheduleTrace, _ second: ScheduleTrace) {
    let count = max(first.steps.count, second.steps.count)
    func step(_ trace: ScheduleTrace, _ index: Int) -> ScheduleTrace.Step? {
      index < trace.steps.count ? trace.steps[index] : nil
    }
    let differing = (0..<count).first { index in
      guard let a = step(first, index), let b = step(second, index) else { return true }
      return a.instant != b.instant || a.runnable != b.runnable
    }
    guard let differing else { return nil }
    self.step = differing + 1
    self.first = step(first, differing)
    self.second = step(second, differing)
  }
}

extension ScheduleTrace {
  /// The steps of a simulation without an exploration: which task took each step, and when.
  package init(_ records: [StepRecord]) {
    steps = records.map { record in
      Step(
        instant: record.instant.duration, runnable: [Candidate(kind: .task, task: record.task)],
        chosen: 0, defaultIndex: 0)
    }
  }
}
