import Sleepless
import SleeplessSimulation

/// Functions for the simulation that the test runs in.
///
/// Called outside a simulation, each of them fails the test at the caller's line.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// A scheduler in the simulation's time, for code that takes one.
  ///
  /// Each call returns the same scheduler. Its work runs when the simulation's time reaches it.
  ///
  /// Called outside a simulation it fails the test.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let ticks = Recorder<Int, Never>("ticks")
  /// Simulation.scheduler().schedule(after: .seconds(2)) { ticks.record(1) }
  /// await Simulation.advance(by: .seconds(2))
  /// ticks.expect(marbles: "2s 1")
  /// ```
  public static func scheduler(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TestScheduler {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return require("Simulation.scheduler()", at: site)?.scheduler(at: site)
      ?? TestScheduler(allowsPendingWork: true)
  }

  /// A clock in the simulation's time, for code that takes one.
  ///
  /// Its time is that of `scheduler()`, too. Called outside a simulation it fails the test.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let clock = Simulation.clock()
  /// try await clock.sleep(for: .seconds(60))  // the simulation moves its time
  /// #expect(clock.now.offset == .seconds(60))
  /// ```
  public static func clock(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TestClock {
    scheduler(fileID: fileID, filePath: filePath, line: line, column: column).clock
  }

  /// Moves virtual time on, and returns when everything due by then has run.
  ///
  /// A negative duration fails the test and moves nothing.
  ///
  /// Called outside a simulation it fails the test.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let banner = Banner()
  /// banner.show("Saved")  // for 3 s, in a task
  /// await Simulation.advance(by: .milliseconds(2_900))
  /// #expect(banner.text == "Saved")
  /// await Simulation.advance(by: .milliseconds(100))
  /// #expect(banner.text == nil)  // what is due at the target has run
  /// ```
  public static func advance(
    by duration: Duration,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let simulation = require("Simulation.advance(by:)", at: site) else { return }
    guard simulation.mayAdvance(by: duration, at: site) else { return }
    await simulation.advance(by: duration)
  }

  /// Moves virtual time on in a synchronous test of a ``SimulatedTestCase``, and returns when
  /// everything due by then has run.
  ///
  /// A negative duration fails the test and moves nothing.
  ///
  /// Called anywhere else without `await` it fails the test.
  ///
  /// ```swift
  /// func testABannerStaysForThreeSeconds() {
  ///   let banner = Banner()
  ///   banner.show("Saved")  // for 3 s, in a task
  ///   Simulation.advance(by: .milliseconds(2_900))
  ///   XCTAssertEqual(banner.text, "Saved")
  ///   Simulation.advance(by: .milliseconds(100))
  ///   XCTAssertNil(banner.text)
  /// }
  /// ```
  public static func advance(
    by duration: Duration,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let host = requireHost("Simulation.advance(by:)", at: site) else { return }
    guard let current, current.mayAdvance(by: duration, at: site) else { return }
    host.advance(by: duration, for: "Simulation.advance(by:)", at: site)
  }

  /// Runs code whose tasks may go on for ever: nothing waits for them, and they may be unfinished when
  /// the body ends.
  ///
  /// The code itself runs like any other; only the tasks that it makes are marked. The test of this
  /// example has the trait `.simulated`; without `background`, the task would fail it.
  ///
  /// ```swift
  /// await Simulation.background { _ = Task { try await heart.beat(every: .seconds(60)) } }
  /// ```
  public static func background<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let simulation = require("Simulation.background", at: site) else {
      return try await body()
    }
    return try await simulation.background(body)
  }

  /// Runs code outside the simulation, in real time, and returns its value; virtual time stands
  /// still meanwhile.
  ///
  /// If the calling task is cancelled, so is the code. Called outside a simulation it fails the
  /// test, and runs the code all the same.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let folder = try await Simulation.outside { FileManager.default.currentDirectoryPath }
  /// #expect(!folder.isEmpty)
  /// #expect(Simulation.current?.now == .zero)  // no virtual time has passed
  /// ```
  public static func outside<Value: Sendable>(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let simulation = require("Simulation.outside", at: site) else { return try await body() }
    return try await simulation.outside(body)
  }

  private func mayAdvance(by duration: Duration, at site: CallSite) -> Bool {
    guard duration < .zero else { return true }
    Reporter(at: site).fail(
      """
      Simulation.advance(by: \(duration.shortDescription)) would move time back: now is \
      \(now.shortDescription). Nothing was run.
      Virtual time only moves forward.
      """)
    return false
  }

  /// The simulation that the caller runs in; fails the test if there is none.
  static func require(_ call: String, at site: CallSite) -> Simulation? {
    if let current { return current }
    Reporter(at: site).fail(
      """
      \(call) was called outside a simulation.
      Give the test the trait .simulated, or run the code in simulate { ... }. Code on a thread of its \
      own, or on a queue that the simulation does not control, is outside as well.
      """)
    return nil
  }

  /// The simulation that this synchronous test hosts; fails the test if there is none.
  static func requireHost(_ call: String, at site: CallSite) -> HostedSimulation? {
    if let hosted { return hosted }
    let advice =
      current == nil
      ? "Make the test case a SimulatedTestCase, or the test async and simulated."
      : "Make the function async and write await \(call)."
    Reporter(at: site).fail(
      """
      \(call) was called without await, and not by a synchronous test of a SimulatedTestCase.
      \(advice)
      """)
    return nil
  }

  private func scheduler(at site: CallSite) -> TestScheduler {
    associatedObject { timeline in
      let reporter = Reporter(at: site)
      let owner = TimelineOwner(
        timeline, isSimulated: true, allowsPendingWork: true, reporter: reporter)
      return TestScheduler(nil, owner: owner, reporter: reporter)
    }
  }
}
