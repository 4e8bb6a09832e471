import Dispatch
import Sleepless
import Testing
import VirtualTime

@Suite struct DurationConversionTests {
  private static let written: [(Duration, Duration)] = [
    (Duration.nanoseconds(299_995_000), Duration.milliseconds(300)),
    (.nanoseconds(99_990), .microseconds(100)),
    (.milliseconds(300), .milliseconds(300)),
    (.seconds(3600) - .microseconds(4), .seconds(3600)),
    (.milliseconds(250) - .microseconds(5), .milliseconds(250)),
    (.milliseconds(16) - .microseconds(5), .milliseconds(16)),
    (.seconds(1) - .nanoseconds(1), .seconds(1)),
    (.seconds(86_400) - .microseconds(900), .seconds(86_400)),
    (.zero, .zero),
    (.nanoseconds(1), .nanoseconds(1)),
    (.nanoseconds(7), .nanoseconds(7)),
    (.nanoseconds(97), .nanoseconds(97)),
    (.nanoseconds(995), .nanoseconds(1000)),
    // No rounder duration is within reach: the caller may have written this one.
    (.milliseconds(98), .milliseconds(98)),
    (.seconds(1) - .milliseconds(2), .milliseconds(998)),
    (.forever, .forever),
    (.seconds(-1), .seconds(-1)),
    // A floating-point quotient cannot hold the last nanosecond of these.
    (.seconds(10_000_000) + .nanoseconds(1), .seconds(10_000_000) + .milliseconds(1)),
    (.attoseconds(1), .attoseconds(1)),
  ]

  @Test(arguments: written)
  func `a deadline's remaining time is rounded to the duration that the caller wrote`(
    left: Duration, written: Duration
  ) {
    #expect(Duration.simplest(atLeast: left) == written)
  }

  @Test func `the rounded duration is never shorter, and at most one hundredth and 1 ms longer`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let digits = Int64.random(in: 0...18, using: &random)
      let limit = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
      let left = Duration.nanoseconds(Int64.random(in: 0...limit, using: &random))
      let slack = min(left / 100, .milliseconds(1))
      #expect((left...left + slack).contains(.simplest(atLeast: left)))
    }
  }

  private static let clamped: [(Double, Duration)] = [
    (0.3, Duration.milliseconds(300)), (-0.25, .milliseconds(-250)), (0, .zero),
    (1e-9, .nanoseconds(1)), (9.1e9, .seconds(9_100_000_000)), (9.3e9, .forever),
    (.infinity, .forever), (.greatestFiniteMagnitude, .forever),
    (-.infinity, .nanoseconds(Int64.min)), (-1e300, .nanoseconds(Int64.min)), (.nan, .zero),
  ]

  @Test(arguments: clamped)
  func `seconds that GCD cannot count are clamped`(seconds: Double, duration: Duration) {
    #expect(Duration(clampingSeconds: seconds) == duration)
  }

  private static let intervals: [(DispatchTimeInterval, Duration)] = [
    (DispatchTimeInterval.seconds(2), Duration.seconds(2)),
    (.milliseconds(-3), .milliseconds(-3)), (.microseconds(4), .microseconds(4)),
    (.nanoseconds(5), .nanoseconds(5)), (.seconds(.max), .forever), (.never, .forever),
  ]

  @Test(arguments: intervals)
  func `a dispatch interval converts to the same duration`(
    interval: DispatchTimeInterval, duration: Duration
  ) {
    #expect(Duration(interval) == duration)
  }

  private static let lengths: [(Duration, Double)] = [
    (Duration.milliseconds(300), 0.3), (.seconds(-2), -2), (.zero, 0),
    (.forever, 1.7014118346046924e20),
  ]

  @Test(arguments: lengths)
  func `every duration converts to seconds`(duration: Duration, seconds: Double) {
    #expect(duration.timeInterval == seconds)
  }

  private static let counts: [(Duration, Int64)] = [
    (Duration.milliseconds(1), Int64(1_000_000)), (.seconds(-1), -1_000_000_000),
    (.attoseconds(1_999_999_999), 1), (.forever, .max), (.seconds(Int64.min), .min),
    (.nanoseconds(Int64.max), .max),
    (.seconds(9_223_372_036) + .milliseconds(999), .max),
  ]

  @Test(arguments: counts)
  func `every duration converts to nanoseconds`(duration: Duration, nanoseconds: Int64) {
    #expect(duration.clampedNanoseconds == nanoseconds)
  }

  private static let narrow: [(Duration, DispatchTimeInterval)] = [
    (Duration.seconds(-1), DispatchTimeInterval.nanoseconds(0)),
    (.nanoseconds(Int32.max), .nanoseconds(Int(Int32.max))),
    (.milliseconds(2500), .milliseconds(2500)), (.seconds(86_400), .milliseconds(86_400_000)),
    (.milliseconds(2_147_483_648), .seconds(2_147_483)), (.forever, .seconds(Int(Int32.max))),
  ]

  @Test(arguments: narrow)
  func `an interval of GCD holds long durations where an Int has 32 bits`(
    duration: Duration, interval: DispatchTimeInterval
  ) {
    #expect(duration.dispatchTimeInterval(in: Int32.self) == interval)
  }

  private static let sums: [(Duration, Duration, Duration)] = [
    (Duration.seconds(1), Duration.seconds(2), Duration.seconds(3)),
    (.seconds(1), .seconds(-2), .seconds(-1)), (.forever, .seconds(-2), .forever),
    (.forever, .forever, .forever), (.seconds(1), .forever, .forever),
    (.seconds(Int64.max) * 10, .seconds(Int64.max) * 10, .forever),
    (.seconds(Int64.min) * 10, .seconds(Int64.min) * 10, .endlesslyAgo),
  ]

  @Test(arguments: sums)
  func `a sum that overflows is forever, or as long before`(a: Duration, b: Duration, sum: Duration)
  {
    #expect(a.saturatingAdding(b) == sum)
    #expect(b.saturatingAdding(a) == sum)
  }
}

extension Duration {
  fileprivate static func attoseconds(_ count: Int64) -> Duration {
    Duration(secondsComponent: 0, attosecondsComponent: count)
  }
}
