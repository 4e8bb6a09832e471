import Dispatch
import Sleepless
import SleeplessSimulation
import VirtualTime

/// The time that a recorder writes beside each event.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let ticks = Recorder<Int, Never>(time: .of(scheduler))
/// scheduler.schedule(after: .seconds(2)) { ticks.record(1) }
/// scheduler.run()
/// ticks.expect(marbles: "2s 1")
/// ```
public struct RecorderTime: Sendable {
  fileprivate enum Kind {
    case real
    case virtual(Timeline)
  }

  fileprivate let kind: Kind

  /// The time of the simulation that the caller runs in; outside, real time.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let ticks = Recorder<Int, Never>("ticks", time: .current)  // as without time:
  /// await Simulation.advance(by: .seconds(2))
  /// ticks.record(1)
  /// ticks.expect(marbles: "2s 1")
  /// ```
  public static var current: RecorderTime {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      return RecorderTime(kind: .virtual(simulation.timeline))
    }
    return .real
  }

  /// Real time, counted from the making of the recorder.
  ///
  /// ```swift
  /// let ticks = Recorder<Int, Never>("ticks", time: .real)
  /// ticks.record(1)
  /// ticks.expect(marbles: "1")  // real times are not compared
  /// #expect(ticks.times.count == 1)
  /// ```
  public static let real = RecorderTime(kind: .real)

  /// The virtual time of a scheduler, of its queues and of its clock.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let ticks = Recorder<Int, Never>("ticks", time: .of(scheduler))
  /// scheduler.schedule(after: .seconds(2)) { ticks.record(1) }
  /// scheduler.run()
  /// ticks.expect(marbles: "2s 1")
  /// ```
  public static func of(_ scheduler: TestScheduler) -> RecorderTime {
    RecorderTime(scheduler.owner)
  }

  /// The virtual time of a clock.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let ticks = Recorder<Int, Never>("ticks", time: .of(clock))
  /// await clock.advance(by: .seconds(2))
  /// ticks.record(1)
  /// ticks.expect(marbles: "2s 1")
  /// ```
  public static func of(_ clock: TestClock) -> RecorderTime {
    clock.owner.noteUse()
    return RecorderTime(clock.owner)
  }

  // Does not keep the owner. The owner's release reports the pending work, and that work may itself
  // keep the recorder.
  private init(_ owner: TimelineOwner) {
    kind = .virtual(owner.timeline)
  }

  private init(kind: Kind) { self.kind = kind }
}

/// An instant in the form in which its clock gives it.
package enum Timestamp: Sendable {
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
///
/// It is a class, because copying its properties would cost as much as reading the time.
final class RecordingClock: Sendable {
  let isVirtual: Bool
  // In real time this is an unused dummy. An optional would be retained and released at each reading.
  private let timeline: Timeline
  /// The value of `now` when the clock was made; zero in real time.
  let offset: Duration
  /// The system's uptime in nanoseconds when the clock was made.
  private let start: Int64

  init(_ time: RecorderTime) {
    start = Self.nanoseconds
    switch time.kind {
    case .real:
      timeline = Self.unused
      (isVirtual, offset) = (false, .zero)
    case .virtual(let timeline):
      self.timeline = timeline
      (isVirtual, offset) = (true, timeline.now.duration)
    }
  }

  private static let unused = Timeline()

  /// The current time: in virtual time since zero, in real time since the clock was made.
  var now: Duration { timestamp.duration }

  /// The current time in its cheapest form.
  var timestamp: Timestamp {
    isVirtual
      ? .duration(timeline.now.duration) : .nanoseconds(Self.nanoseconds - start)
  }

  /// The pending work in virtual time; nil in real time, where it is not known.
  var pending: WorkList? { isVirtual ? WorkList(timeline.pending) : nil }

  private static var nanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  /// The time as text: exact if virtual, to three digits if real.
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
