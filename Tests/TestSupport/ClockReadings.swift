#if os(Linux)
  import Dispatch
  import Foundation
  import Glibc

  /// CoreFoundation's clock, which Foundation on Linux does not declare.
  @_silgen_name("CFAbsoluteTimeGetCurrent") private func absoluteTime() -> Double

  /// What each clock shows, in seconds.
  package func clockReadings() -> [String: Double] {
    var readings: [String: Double] = [
      "ContinuousClock": (ContinuousClock.now - continuousStart) / .seconds(1),
      "SuspendingClock": (SuspendingClock.now - suspendingStart) / .seconds(1),
      "DispatchTime.now()": Double(DispatchTime.now().uptimeNanoseconds) / 1e9,
      "DispatchWallTime.now()": -Double(Int64(bitPattern: DispatchWallTime.now().rawValue)) / 1e9,
      "ProcessInfo.systemUptime": ProcessInfo.processInfo.systemUptime,
      "CFAbsoluteTimeGetCurrent()": absoluteTime(),
      "time": Double(time(nil)),
      "Date()": Date().timeIntervalSince1970,
    ]
    var day = timeval()
    gettimeofday(&day, nil)
    readings["gettimeofday"] = Double(day.tv_sec) + Double(day.tv_usec) / 1e6
    let clocks = [
      "CLOCK_REALTIME": CLOCK_REALTIME, "CLOCK_MONOTONIC": CLOCK_MONOTONIC,
      "CLOCK_BOOTTIME": CLOCK_BOOTTIME, "CLOCK_MONOTONIC_RAW": CLOCK_MONOTONIC_RAW,
      "CLOCK_REALTIME_COARSE": CLOCK_REALTIME_COARSE,
      "CLOCK_MONOTONIC_COARSE": CLOCK_MONOTONIC_COARSE, "CLOCK_TAI": CLOCK_TAI,
    ]
    for (name, clock) in clocks {
      var time = timespec()
      clock_gettime(clock, &time)
      readings[name] = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    return readings
  }

  /// By how many seconds each clock has moved on, to a millisecond: dates count from 2001 as floating-point numbers.
  package func secondsPassed(since earlier: [String: Double]) -> [String: Double] {
    clockReadings().merging(earlier) { (($0 - $1) * 1000).rounded() / 1000 }
  }

  // The instants of Swift's clocks have no numbers of their own.
  private let continuousStart = ContinuousClock.now
  private let suspendingStart = SuspendingClock.now
#endif
