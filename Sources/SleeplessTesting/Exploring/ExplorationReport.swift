import Sleepless
import SleeplessSimulation

/// How a test is explored, for the text of a replay.
enum ExplorationFace: Sendable {
  case trait
  case function
  case testCase

  func replaying(_ text: String) -> String {
    switch self {
    case .trait: ".explored(replay: \"\(text)\")"
    case .function: "explore(replay: \"\(text)\") { ... }"
    case .testCase: "ExplorationSettings(replay: \"\(text)\")"
    }
  }
}

extension ExplorationFailure {
  /// The whole report: how to replay it, the schedule, and how much was explored.
  func text(
    _ result: ExplorationResult, for face: ExplorationFace, _ mismatch: ReplayMismatch?
  ) -> String {
    let schedules = result.planned.map { "\(schedule) of \($0)" } ?? "\(schedule)"
    let isReplay = strategy == "replay"
    let opening =
      isReplay ? "The replayed schedule fails" : "Schedule \(schedules) fails"
    var lines = [
      "\(opening): \(cause). To replay it: \(face.replaying(replay)), or in the environment "
        + "SLEEPLESS_REPLAY=\(replay)"
    ]
    if let text { lines.append(text.withPlainArrows) }
    if !shrunk.steps.isEmpty { lines.append("Its steps:\n\(shrunk.text(ending: cause))") }
    lines.append(counts(result))
    if let mismatch { lines.append(mismatch.remark) }
    return lines.joined(separator: "\n")
  }

  private func counts(_ result: ExplorationResult) -> String {
    if strategy == "replay" { return "1 schedule ran." }
    let switches = { (count: Int) in count == 1 ? "1 switch" : "\(count) switches" }
    let ran =
      result.run == 1
      ? "1 schedule ran"
      : "\(result.run) schedules ran, \(result.distinct) of them distinct, \(result.failed) failed"
    let size =
      shrunk.steps.isEmpty
      ? ""
      : whole.switches == shrunk.switches
        ? ", with \(switches(whole.switches))"
        : ", with \(switches(whole.switches)), shrunk to \(shrunk.switches)"
    return "\(ran). Found by the strategy \(strategy)\(size); seed \(result.seed)."
  }
}

extension ReplayMismatch {
  /// The failure of a test whose replayed schedule no longer fits and passes.
  var text: String {
    """
    The replay string no longer fits this test, which passed: \(difference)
    If the code is repaired, explore again without the string. A string fits only the \
    configuration, debug or release, in which it was made.
    """
  }

  var remark: String {
    "The string was made for another schedule: \(difference)"
  }

  private var difference: String {
    switch self {
    case .steps:
      return "its steps differ from those of the recorded schedule, so the code has changed since."
    case .choice(let mismatch):
      let found =
        mismatch.found.map { "only \($0) can now" } ?? "the schedule ends before that now"
      let more = mismatch.found.map { $0 > mismatch.expected } ?? false
      let now = more ? "\(mismatch.found!) can now" : found
      return """
        at choice \(mismatch.choice) \(mismatch.expected) jobs could run when it was made, and \(now), so \
        the code has changed since.
        """
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension ExplorationError {
  /// The text, with the failures of the first failing schedule and the problem of its end.
  func text(failed: [CaughtFailure], _ problem: SimulationProblem?) -> String {
    // What is left over may follow from a failed expectation, so it is listed only if there is none.
    let isCause = failed.isEmpty || problem?.isLeftover == false
    let end = isCause ? problem.map { "\n\($0.text)".replacing("\n", with: "\n  ") } : nil
    let listing = failed.map { "\n  \($0.place): \($0.text)" }.joined() + (end ?? "")
    switch self {
    case .notDeterministic(let difference):
      return """
        This test is not deterministic, so its schedules cannot be explored: two runs in the same \
        order \(difference.text)
        \(TraceDifference.causes)
        """
    case .passesOnce(let failureCause, let schedule) where schedule > 1:
      return """
        Schedule \(schedule) passed, and failed when it was run again in the same order \
        (\(failureCause.cause)), so this test's schedules cannot be explored.\(listing)
        \(TraceDifference.causes)
        """
    case .passesOnce(let failureCause, _):
      return """
        This test passes only once in a process, so its schedules cannot be explored: the first run \
        passed, and the second did not, though it took the same order (\(failureCause.cause)).\(listing)
        The first run has left something behind: in a static variable, a singleton, a file or a \
        database. Make what the test needs within the test, so that each run begins afresh.
        """
    case .leavesState(let failureCause, let schedule, let earlier, let now):
      return """
        Schedule \(schedule) failed (\(failureCause.cause)), and its order is not the reason: schedule \
        \(earlier) fails now too, which passed before (\(now.cause)).\(listing)
        Earlier schedules have left something behind: in a static variable, a singleton, a file or a \
        database, or the test draws random numbers. Make what the test needs within the test, so that each \
        schedule begins afresh. There is no replay string, because a schedule that runs alone may pass.
        """
    case .notReproduced(let failureCause, let schedule, let difference):
      let steps =
        difference.map { "The two \($0.text)" } ?? "Both took the same steps."
      return """
        Schedule \(schedule) failed (\(failureCause.cause)), and passed when it was run again. \
        \(steps)\(listing)
        \(TraceDifference.causes)
        """
    }
  }
}
