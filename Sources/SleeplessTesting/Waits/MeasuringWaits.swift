#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import CRuntimeHooks
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import Testing

  /// Tells the measuring of waits which test runs.
  enum MeasuringWaits {
    /// The numbers of tests of Swift Testing, by their identifiers.
    private static let numbers = Locked<[Test.ID: Int32]>([:])
    private static let latestNumber = Locked<Int32>(0)

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
      sleepless_note_line("S \(sleepless_monotonic_time()) \(number) \(name)")
      sleepless_set_running_test(number)
      return number
    }

    static func end(_ number: Int32) {
      sleepless_set_running_test(0)
      sleepless_note_line("E \(sleepless_monotonic_time()) \(number)")
    }

    /// The number of the test whose task this is; 0 if that is not known.
    private static func numberOfCaller() -> Int32 {
      guard let test = Test.current else { return 0 }
      return numbers.withLock { numbers in
        if let number = numbers[test.id] { return number }
        let number = nextNumber()
        numbers[test.id] = number
        sleepless_note_line("N \(number) \(test.id)")
        return number
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
      let arguments = CommandLine.arguments
      guard arguments.contains("swift-testing") else { return }
      let option = "--event-stream-output-path"
      guard !arguments.contains(where: { $0.hasPrefix(option) }) else {
        return sleepless_print_line(
          "Sleepless: waits are not measured, because another program gets the events: \(option).")
      }
      let events = [option, String(cString: sleepless_events_path())]
      let all = arguments + events + ["--event-stream-version", "0"]
      // The function takes over the reference that this place has.
      let place = UnsafeMutablePointer<[String]>.allocate(capacity: 1)
      place.initialize(to: all)
      // An array is one pointer.
      let array = UnsafeRawPointer(place).load(as: UnsafeRawPointer.self)
      if !sleepless_replace_arguments(array) {
        place.deinitialize(count: 1)
        sleepless_print_line(
          "Sleepless: waits are not measured: Swift Testing did not get the option \(option). "
            + "Unset SLEEPLESS_WAITS.")
      }
      place.deallocate()
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
