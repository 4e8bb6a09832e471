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
      return a.instant != b.instant || a.runnable != b.runnable || a.chosen != b.chosen
        || a.frames != b.frames
    }
    guard let differing else { return nil }
    self.step = differing + 1
    self.first = step(first, differing)
    self.second = step(second, differing)
  }

  /// Where the task of the differing step resumed in each run, in words that differ: the function, and its line or
  /// the address if the function is the same. Nil if it resumed at the same place, or one run had ended.
  package var places: (first: String, second: String)? {
    guard let first, let second, first.frames != second.frames else { return nil }
    return Self.distinct(first.frames, second.frames)
  }

  private static func distinct(_ first: [UInt], _ second: [UInt]) -> (first: String, second: String)
  {
    let index = zip(first, second).prefix { $0 == $1 }.count
    return distinct(
      index < first.count ? first[index] : 0, index < second.count ? second[index] : 0)
  }

  private static func distinct(_ first: UInt, _ second: UInt) -> (first: String, second: String) {
    let descriptions: [(UInt) -> String] = [
      { address in
        guard address != 0 else { return "no function" }
        return CodeFrame.ofUser(at: [address]).first?.text ?? "code without a name"
      },
      { "the code at 0x\(String($0, radix: 16))" },
    ]
    return descriptions.lazy.map { ($0(first), $0(second)) }.first { $0 != $1 }!
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
