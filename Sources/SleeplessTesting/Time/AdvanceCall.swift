import VirtualTime

/// One call that moves time: how far it goes, and its name in failures.
enum AdvanceCall {
  case by(Duration)
  case to(Duration)
  case toNext
  case toEnd

  var text: String {
    switch self {
    case .by(let duration): "advance(by: \(duration.shortDescription))"
    case .to(let instant): "advance(to: \(instant.shortDescription))"
    case .toNext: "advanceToNext()"
    case .toEnd: "run()"
    }
  }

  /// The text about a call that would move time back.
  func misuse(at now: Duration) -> String? {
    switch self {
    case .by(let duration) where duration < .zero:
      """
      \(text) would move time back: now is \(now.shortDescription). Nothing was run.
      Virtual time only moves forward.
      """
    case .to(let instant) where instant < now:
      """
      \(text) would move time back: now is \(now.shortDescription) already. Nothing was run.
      Virtual time only moves forward. advance(to:) counts from the start; advance(by:) counts \
      from now.
      """
    default: nil
    }
  }

  /// Makes the call without stops.
  func drive(_ timeline: Timeline) -> (ran: WorkLog, end: Timeline.End) {
    switch self {
    case .by(let duration): timeline.drive(by: duration)
    case .to(let instant): timeline.drive(to: Instant(instant))
    case .toNext: timeline.driveToNext()
    case .toEnd: timeline.drive(to: nil)
    }
  }

  /// Begins the call with a stop at each instant at which something is due.
  func steps(on timeline: Timeline) -> SteppedAdvance {
    switch self {
    case .by(let duration): timeline.steps(to: timeline.now.advanced(by: duration))
    case .to(let instant): timeline.steps(to: Instant(instant))
    case .toNext: timeline.stepsToNext()
    case .toEnd: timeline.steps(to: nil)
    }
  }
}
