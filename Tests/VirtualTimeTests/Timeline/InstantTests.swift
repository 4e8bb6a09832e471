import Sleepless
import Testing
import VirtualTime

@Suite struct InstantTests {
  private static let attosecond = Duration(secondsComponent: 0, attosecondsComponent: 1)
  private static let durations: [Duration] = [
    .zero, attosecond, .nanoseconds(1), .seconds(1), .seconds(18), .seconds(19),
    .seconds(Int64.max), .forever - attosecond, .forever,
  ]

  @Test func `instants are ordered as their distances are`() {
    for a in Self.durations {
      for b in Self.durations {
        #expect((Instant(a) < Instant(b)) == (a < b))
        #expect((Instant(a) == Instant(b)) == (a == b))
      }
    }
  }

  @Test(arguments: durations)
  func `an instant gives back its distance`(distance: Duration) {
    #expect(Instant(distance).duration == distance)
  }

  @Test func `later instants are exact or, beyond the end of time, never`() {
    for a in Self.durations {
      for b in Self.durations {
        #expect(Instant(a).advanced(by: b) == Instant(a.saturatingAdding(b)))
      }
    }
  }

  @Test(arguments: [attosecond, .seconds(1), .forever])
  func `T5 a negative distance is none`(distance: Duration) {
    #expect(Instant(.zero - distance) == .start)
    #expect(Instant(seconds: 3).advanced(by: .zero - distance) == Instant(seconds: 3))
  }
}
