import Foundation
import Sleepless
import SleeplessSimulation
import VirtualTime

/// Waits until everything that the test has started so far has come to rest.
///
/// In a simulation with automatic time, the test is at rest when no task can run and none sleeps; with
/// manual time, when no task can run. Background tasks do not count.
///
/// Outside a simulation it waits, in real time, until none of the tasks that the test has made with
/// `Task {}` or `Task.detached`, or that these have made, runs or sleeps. A task that waits for
/// something other than time is at rest, whether it waits for another task or for a server. If the
/// tasks do not come to rest within 10 s (see <doc:WaitingForEvents>), the test fails with a list of
/// the tasks that are left. If the task that calls it is cancelled before, it fails at once. Linux only:
/// elsewhere tasks cannot be followed, and it fails.
///
/// The test of this example has the trait `.simulated`.
///
/// ```swift
/// let banner = Banner()
/// banner.show("Saved")  // for 3 s, in a task
/// await settle()
/// #expect(banner.text == nil)
/// #expect(Simulation.current?.now == .seconds(3))
/// ```
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public func settle(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  _ = await comesToRest("settle()", at: site)
}

/// Waits, in a synchronous test, until everything that it has started so far has come to rest.
///
/// In a test of a ``SimulatedTestCase`` it runs the test's tasks, the main actor's among them, on
/// this thread, in virtual time. Elsewhere it waits as the `settle` with `await` does; on the main
/// thread it serves the run loop meanwhile, so that the main actor can run.
///
/// ```swift
/// func testABannerGoes() {
///   let banner = Banner()
///   banner.show("Saved")  // for 3 s, in a task
///   settle()
///   XCTAssertNil(banner.text)
/// }
/// ```
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public func settle(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  _ = comesToRest("settle()", at: site)
}

/// Waits until the test's tasks are at rest; if they do not come to rest, fails the test and returns
/// false. The failure says so if assertions did not run because of it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
func comesToRest(_ call: String, assertions: Bool = false, at site: CallSite) async -> Bool {
  if let simulation = Simulation.current {
    await simulation.settle()
    guard Task.isCancelled else { return true }
    if !simulation.isEnding { reportCancellation(of: call, assertions: assertions, at: site) }
    return false
  }
  guard let work = TestTasks.required(for: call, at: site) else { return false }
  let timeout = HangTimeout.interval
  if await work.settle(TestTasks.Timeout(timeout)) { return true }
  if Task.isCancelled {
    reportCancellation(of: call, assertions: assertions, at: site)
    return false
  }
  if work.haveJustEnded { return true }
  work.reportUnrest(timeout, of: call, assertions: assertions, at: site)
  return false
}

private func reportCancellation(of call: String, assertions: Bool, at site: CallSite) {
  Reporter(at: site).fail(
    """
    \(call) was cancelled before the test's tasks had come to rest.\
    \(assertions ? " The assertions were not run." : "")
    Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task \
    that nobody cancels, or find out what takes so long.
    """)
}

/// Does the same for synchronous code.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
func comesToRest(_ call: String, assertions: Bool = false, at site: CallSite) -> Bool {
  guard Simulation.current == nil else {
    guard let host = Simulation.requireHost(call, at: site) else { return false }
    return host.settle(for: call, at: site)
  }
  guard let work = TestTasks.required(for: call, at: site) else { return false }
  let timeout = HangTimeout.interval
  if work.settleHere(TestTasks.Timeout(timeout)) || work.haveJustEnded { return true }
  work.reportUnrest(timeout, of: call, assertions: assertions, at: site)
  return false
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension TestTasks {
  /// Whether the calling code's tasks can be followed until they are at rest.
  static var canBeFollowed: Bool { Simulation.current != nil || isCounted }

  /// The calling test's tasks; fails the test if they cannot be known.
  static func required(for call: String, at site: CallSite) -> TestTasks? {
    guard isCounted else {
      Reporter(at: site).fail(
        """
        \(call) cannot follow the tasks of this test: this process's tasks cannot be captured.
        \(MissingCapture.explain())
        Await what the test started, or wait for its effect with eventually.
        """)
      return nil
    }
    if let work = ofCurrentTest { return work }
    Reporter(at: site).fail(
      """
      \(call) was called by code that belongs to no test, so it cannot know whose tasks to wait for.
      Call it in the test itself. A detached task, a dispatch queue or a thread does not know its test.
      """)
    return nil
  }

  func reportUnrest(
    _ timeout: Duration, of call: String, assertions: Bool, at site: CallSite
  ) {
    Reporter(at: site).fail(
      """
      \(call) waited \(timeout.shortDescription) of real time, but the test's tasks have not come \
      to rest. Unfinished:
      \(unrest)
      \(assertions ? "The assertions were not run. " : "")This is usually a loop that sleeps and \
      that is never cancelled, or a long sleep. In a simulation (.simulated, SimulatedTestCase) sleeping takes \
      no time.
      """)
  }
}

extension EndOfTest.Rest {
  /// Waits until the test's tasks are at rest, as far as they can be followed and as far as needed; then
  /// checks the recorders that the test has released.
  ///
  /// Where they cannot be followed it waits for `pause` instead, in real time. Where they can be followed, it then waits
  /// for pending events, such as a timer's, for `pause` at most. These may wake tasks, so it waits for the tasks again.
  static func reached(_ need: Need = .whole, orPause pause: Duration = .zero) async -> Self {
    guard need > .none else { return Self() }
    let rest = await reachedByTasks(need, pause)
    EndOfTest.ofCurrentTest?.runLateChecks()
    return rest
  }

  /// Does the same for synchronous code.
  static func reachedHere(_ need: Need = .whole, orPause pause: Duration = .zero) -> Self {
    guard need > .none else { return Self() }
    let rest = reachedByTasksHere(need, pause)
    EndOfTest.ofCurrentTest?.runLateChecks()
    return rest
  }

  private static func reachedByTasks(_ need: Need, _ pause: Duration) async -> Self {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else {
      await endOf(pause)?.wait()
      return Self()
    }
    if let simulation = Simulation.current {
      switch need {
      case .none: break
      case .noMoreEvents: await simulation.settleAtThisInstant()
      case .whole:
        let isAtRest = await simulation.settle(withinMoves: simulation.moveLimit)
        if !isAtRest { return Self(of: simulation) }
      }
      return Self()
    }
    let timeout = need.timeout
    guard let work = TestTasks.ofCurrentTest else {
      await endOf(pause)?.wait()
      return Self()
    }
    guard await work.settle(timeout) else { return Self(of: work, timeout.whole) }
    guard let end = endOfPendingEvents(pause) else { return Self() }
    await end.wait()
    return await work.settle(timeout) ? Self() : Self(of: work, timeout.whole)
  }

  private static func reachedByTasksHere(_ need: Need, _ pause: Duration) -> Self {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else {
      endOf(pause)?.waitHere()
      return Self()
    }
    if let simulation = Simulation.current {
      guard let hosted = Simulation.hosted else { return Self() }
      let halt =
        need == .whole
        ? hosted.settle(withinMoves: simulation.moveLimit) : hosted.settleAtThisInstant()
      switch halt {
      case nil, .told: return Self()
      case .restless: return Self(of: simulation)
      case .silence(let timeout):
        return Self(unrest: "  a call of Simulation.outside", given: Self.realTime(timeout))
      case .givenUp(let end):
        hosted.report(end)
        return Self()
      }
    }
    let timeout = need.timeout
    guard let work = TestTasks.ofCurrentTest else {
      endOf(pause)?.waitHere()
      return Self()
    }
    guard work.settleHere(timeout) else { return Self(of: work, timeout.whole) }
    guard let end = endOfPendingEvents(pause) else { return Self() }
    end.waitHere()
    return work.settleHere(timeout) ? Self() : Self(of: work, timeout.whole)
  }

  /// How long judgements wait where the test's tasks cannot be followed. Elsewhere, how long they wait at most for pending
  /// events.
  static let pause = Duration.milliseconds(50)

  private static func endOf(_ pause: Duration) -> OneShotContinuation<Void>? {
    guard pause > .zero else { return nil }
    let end = OneShotContinuation<Void>()
    _ = HangTimer(pause) { end.resume() }
    return end
  }

  private static func endOfPendingEvents(_ limit: Duration) -> OneShotContinuation<Void>? {
    guard limit > .zero else { return nil }
    let end = OneShotContinuation<Void>()
    return PendingEvents.await(atMost: limit) { end.resume() } ? end : nil
  }

  private static func realTime(_ duration: Duration) -> String {
    "\(duration.shortDescription) of real time"
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private init(of work: TestTasks, _ timeout: Duration) {
    self =
      work.haveJustEnded ? Self() : Self(unrest: work.unrest, given: Self.realTime(timeout))
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private init(of simulation: Simulation) {
    // The task that runs is the caller's.
    let tasks = simulation.reportSoFar.unfinishedTasks
      .filter { if case .running = $0.state { false } else { true } }.map(\.listing)
    let delays = simulation.delays.map {
      "\($0.label ?? "a delay"), due at \($0.instant.duration.shortDescription)"
    }
    self.init(
      unrest: (tasks + delays).map { "  \($0)" }.joined(separator: "\n"),
      given: "\(simulation.moveLimit) moves of virtual time (to \(simulation.now.shortDescription))"
    )
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// How often virtual time may move until a simulation is at rest. A timer that repeats, or a loop that sleeps, would
  /// move it for ever. Less often in an exploration, in which a failing schedule runs again many times.
  fileprivate var moveLimit: Int { isExplored ? 1000 : 10_000 }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension EndOfTest.Rest.Need {
  /// Short for loops, unless `.whole` is needed: a test that has passed should not take ten seconds because a
  /// loop still runs.
  fileprivate var timeout: TestTasks.Timeout {
    TestTasks.Timeout(
      HangTimeout.interval, withLoops: self == .whole ? nil : min(.seconds(1), HangTimeout.interval)
    )
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension TestTasks {
  /// Whether no unfinished task is left after a wait that was too short. That counts as rest: on a busy machine the
  /// caller goes on long after the timeout.
  var haveJustEnded: Bool { unfinishedTasks.isEmpty }

  /// The tasks that have not ended, one per line.
  var unrest: String { unfinishedTasks.map { "  \($0.unrest)" }.joined(separator: "\n") }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.TaskReport {
  fileprivate var unrest: String {
    let who = name.map { "task \(number) \"\($0)\"" } ?? "task \(number)"
    // Leaves the duration out: it is counted from real time, and so is some microseconds too short.
    if case .sleeping = state { return "\(who): asleep" }
    return "\(who): running, or waiting for something other than time"
  }
}
