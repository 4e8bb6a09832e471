import Dispatch
import Sleepless
import SleeplessSimulation

/// The time that a recorder writes beside each event.
public struct RecorderTime: Sendable {
  fileprivate enum Kind {
    case real
    case virtual(Timeline, Locked<Sleepers>)
  }

  fileprivate let kind: Kind

  /// The time of the simulation that the caller runs in; outside, real time.
  public static var current: RecorderTime {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      let sleepers = Locked(Sleepers(remembersPresents: false))
      return RecorderTime(kind: .virtual(simulation.timeline, sleepers))
    }
    return .real
  }

  /// Real time, counted from the making of the recorder.
  public static let real = RecorderTime(kind: .real)

  /// The virtual time of a scheduler, of its queues and of its clock.
  public static func of(_ scheduler: TestScheduler) -> RecorderTime {
    RecorderTime(scheduler.owner)
  }

  /// The virtual time of a clock. What a woken task does has the time of the task's own present.
  public static func of(_ clock: TestClock) -> RecorderTime { RecorderTime(clock.owner) }

  // The owner itself must not be kept: a recorder may be kept by the very work that is pending, and
  // the owner's release is what tells of that work.
  private init(_ owner: TimelineOwner) {
    kind = .virtual(owner.timeline, owner.sleepers)
  }

  private init(kind: Kind) { self.kind = kind }
}

/// An instant, in the form in which it was read.
enum Stamp: Sendable {
  case nanoseconds(Int64)
  case duration(Duration)

  var duration: Duration {
    switch self {
    case .nanoseconds(let count): .nanoseconds(count)
    case .duration(let duration): duration
    }
  }
}

/// Reads the time of one recorder.
struct Stopwatch: Sendable {
  private let kind: RecorderTime.Kind
  /// What `now` was when it was started: in real time, zero.
  let offset: Duration
  /// The system's count when it was started.
  private let start: Int64

  init(_ time: RecorderTime) {
    kind = time.kind
    start = Self.nanoseconds
    if case .virtual(let timeline, let sleepers) = kind {
      offset = Self.now(timeline, sleepers)
    } else {
      offset = .zero
    }
  }

  /// The instant: in virtual time since zero, in real time since the start.
  var now: Duration { stamp.duration }

  /// The same in its cheapest form.
  var stamp: Stamp {
    switch kind {
    case .real: .nanoseconds(Self.nanoseconds - start)
    case .virtual(let timeline, let sleepers): .duration(Self.now(timeline, sleepers))
    }
  }

  var isVirtual: Bool { if case .virtual = kind { true } else { false } }

  /// What is to come in virtual time; nil in real time, of which nobody knows.
  var pending: WorkList? {
    if case .virtual(let timeline, _) = kind { WorkList(timeline.pending) } else { nil }
  }

  private static func now(_ timeline: Timeline, _ sleepers: Locked<Sleepers>) -> Duration {
    let task = currentTaskID()
    let present = task.flatMap { task in sleepers.withLock { $0.present(of: task) } }
    return (present ?? timeline.now).duration
  }

  private static var nanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  /// The time as a reader wants it: exact if virtual, to three digits if real.
  func text(_ time: Duration) -> String {
    isVirtual ? time.shortDescription : time.roundedDescription
  }
}

extension Duration {
  /// Three significant digits at most: `12.3 ms`.
  var roundedDescription: String {
    let nanoseconds = clampedNanoseconds
    var unit: Int64 = 1
    while nanoseconds / unit >= 1_000 { unit *= 10 }
    return Duration.nanoseconds((nanoseconds + unit / 2) / unit * unit).shortDescription
  }
}
