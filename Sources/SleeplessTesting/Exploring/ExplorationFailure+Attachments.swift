import Sleepless
import SleeplessSimulation
import Testing

extension ExplorationFailure {
  /// Attaches the failing schedule to the running Swift Testing test, in full: as text, and as a page
  /// for a browser. XCTest has no attachments on Linux.
  ///
  /// `swift test --attachments-path FOLDER` keeps them in a folder.
  func attach(_ report: String, title: String, at place: SourceLocation) {
    guard Test.current != nil, !shrunk.steps.isEmpty else { return }
    Attachment.record(
      wholeText(report, title: title), named: "schedule.txt", sourceLocation: place)
    Attachment.record(page(title: title), named: "schedule.html", sourceLocation: place)
  }

  /// The report, followed by the full schedules.
  func wholeText(_ report: String, title: String) -> String {
    func text(_ trace: ScheduleTrace) -> String {
      trace.text(ending: cause, width: 160, rowLimit: .max)
    }
    return """
      \(title)

      \(report)

      The whole schedule, with \(switches(shrunk)):

      \(text(shrunk))

      The schedule as \(strategy) found it, with \(switches(whole)):

      \(text(whole))

      """
  }

  /// The schedule as an HTML page.
  func page(title: String) -> String {
    let notes = [
      "Found by the strategy \(strategy) in schedule \(schedule), with \(switches(whole)); shown with "
        + "\(switches(shrunk))."
    ]
    return SchedulePage(
      ScheduleRows(shrunk), title: title, failure: text, replay: "SLEEPLESS_REPLAY=\(replay)",
      notes: notes, ending: cause
    ).html
  }

  private func switches(_ trace: ScheduleTrace) -> String {
    trace.switches == 1 ? "1 switch" : "\(trace.switches) switches"
  }
}
