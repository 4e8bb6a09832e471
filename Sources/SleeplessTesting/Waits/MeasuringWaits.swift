#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import CRuntimeHooks
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import Testing

  /// Tells the measuring of waits which test runs.
  enum MeasuringWaits {
    private static let latestNumber = Locked<Int32>(0)
    /// The numbers of tests of Swift Testing, by their identifiers.
    private static let numbers = Locked<[Test.ID: Int32]>([:])
    /// How many cases of each test run; nil for a test of which none has begun.
    private static let runningCases = Locked<[Int32: Int]>([:])

    private static func nextNumber() -> Int32 {
      latestNumber.withLock { number in
        number += 1
        return number
      }
    }

    /// A test of XCTest starts. Returns its number; nil if nothing is measured.
    static func start(_ name: String) -> Int32? {
      guard sleepless_measures_waits() else { return nil }
      let number = nextNumber()
      noteStart(of: number, name)
      sleepless_set_running_test(number)
      return number
    }

    static func end(_ number: Int32) {
      sleepless_set_running_test(0)
      noteEnd(of: number)
    }

    private static func noteStart(of number: Int32, _ name: String) {
      sleepless_note_line("S \(sleepless_monotonic_time()) \(number) \(name)")
    }

    private static func noteEnd(of number: Int32) {
      sleepless_note_line("E \(sleepless_monotonic_time()) \(number)")
    }

    // MARK: Swift Testing

    private static let hooks = sleepless_test_hooks(
      // When Swift Testing plans the run, a test is current, but none of its cases.
      current: { Test.Case.current == nil ? 0 : MeasuringWaits.numberOfCaller() },
      begins: { MeasuringWaits.beginCase(of: $0) },
      ends: { MeasuringWaits.endCase(of: $0) })

    /// The number of the test whose task this is; 0 if it is of none.
    private static func numberOfCaller() -> Int32 {
      guard let test = Test.current, !test.isSuite else { return 0 }
      return numbers.withLock { numbers in
        if let number = numbers[test.id] { return number }
        let number = nextNumber()
        numbers[test.id] = number
        return number
      }
    }

    // A test runs while at least one of its cases does. The lock keeps the lines in their order.
    private static func beginCase(of number: Int32) {
      guard let test = Test.current else { return }
      runningCases.withLock { counts in
        let count = counts[number]
        counts[number] = (count ?? 0) + 1
        if count == nil {
          noteStart(of: number, TestName.of(id: "\(test.id)", function: test.name))
          let location = test.sourceLocation
          sleepless_note_line("L \(number) \(location.line) \(location.filePath)")
        } else if count == 0 {
          sleepless_note_line("R \(sleepless_monotonic_time()) \(number)")
        }
      }
    }

    private static func endCase(of number: Int32) {
      runningCases.withLock { counts in
        counts[number, default: 1] -= 1
        if counts[number] == 0 { noteEnd(of: number) }
      }
    }

    /// Begins to measure, or reports for a process that has.
    fileprivate static func start() {
      var log = sleepless_wait_log()
      var setting: UnsafePointer<CChar>?
      if sleepless_reports_waits(&log, &setting) {
        report(log, String(cString: setting!))
        sleepless_end_report()
      }
      guard sleepless_measures_waits() else { return }
      sleepless_set_test_of_wait { MeasuringWaits.numberOfCaller() }
      guard CommandLine.arguments.contains("swift-testing") else { return }
      guard sleepless_stands_in_for_task_locals() else {
        return sleepless_print_line(
          "Sleepless: waits are not measured: another library defines swift_task_localValuePush. "
            + "Unset SLEEPLESS_WAITS.")
      }
      sleepless_watch_tests(hooks)
    }

    private static func report(_ log: sleepless_wait_log, _ setting: String) {
      let log = WaitLog(log)
      guard let run = log.run() else { return }
      let summary = WaitSummary(run, locate: WaitLog.location(of:))
      FileHandle.standardOutput.write(Data(WaitTable.text(of: summary).utf8))
      guard setting != "1" else { return }
      do {
        try WaitTimings(summary, run: log.runID, locate: WaitLog.location(of:)).write(to: setting)
      } catch {
        sleepless_print_line(
          "Sleepless: \(setting) cannot be written: \(error). "
            + "Set SLEEPLESS_WAITS to 1, or to another path.")
      }
    }
  }

  // After the code that samples the runtime.
  @section(".init_array") @used
  private let startAtLoad: @convention(c) () -> Void = { MeasuringWaits.start() }
#elseif os(Linux) || canImport(Darwin)
  import CRuntimeHooks
  import Foundation

  #if canImport(Darwin)
    @section("__DATA,__mod_init_func,mod_init_funcs") @used
    private let explainAtLoad: @convention(c) () -> Void = { explainIfWanted() }
  #else
    @section(".init_array") @used
    private let explainAtLoad: @convention(c) () -> Void = { explainIfWanted() }
  #endif

  private func explainIfWanted() {
    guard let setting = getenv("SLEEPLESS_WAITS"), ![0, 48].contains(setting[0]) else { return }
    sleepless_print_line(
      "Sleepless: waits are measured on Linux alone. swift package find-waits finds them in the sources."
    )
  }
#endif
