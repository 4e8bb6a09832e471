/// Failures that a ``FailureCase`` cannot provoke alone. Their own tests compare these texts, and so does the test of
/// the samples in the documentation.
enum FailureText {
  static let aBlockedAdvance = """
    advance(by: 3 s) waited 20 ms of real time for the test's tasks to come to rest. Unfinished:
      task 1 "blocked": running, or waiting for something other than time
    The test goes on without them. This is usually a task that blocks its thread or never stops computing. Let it \
    suspend, or end it before.
    """

  static let aBlockedMainThread = """
    A job of the test has kept the main thread for 1 s of real time (virtual time: 0 s):
      task 1: suspended since 0 s
      task 2: running since 0 s
    XCTest runs no other test until the job returns.
    This is usually a semaphore, a lock or a synchronous call that waits for something that only \
    another job can do, or an endless loop. Await instead of blocking, and end a loop when \
    Task.isCancelled is true.
    """

  static let aCancelledRest = """
    settle() was cancelled before the test's tasks had come to rest.
    Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
    """

  static let aRestWithoutTheCapture = """
    settle() cannot follow the tasks of this test: this process's tasks cannot be captured.
    The first failure of this kind says why.
    Await what the test started, or wait for its effect with eventually.
    """

  static let realDates = """
    Sleepless: Date() shows real time in simulations. With Swift 6.3 on Linux this does not hold: Foundation's \
    dates are read by calls that can be replaced (dates). The page "Where it works" lists what follows. \
    SLEEPLESS_RUNTIME=report prints all facts.
    """

  static let aSimulationGivenUp = """
    The simulation was given up at 99 s, because the helper made at FloodTests.swift:123 has failed 100 times.
      the body: waiting for settle() since 0 s
      task 1: asleep until 100 s since 99 s
    This is usually a loop that goes on after each failure. Begin with the first failure of that helper.
    """

  static let noElements = """
    waitForElements() expected the end from "numbers", but none came: 1 ms of real time went by without it.
    Nothing has come so far (now: 0 s).
    Was the code under test started? Does it send to the recorded source?
    """

  static let anUncapturedTestCase = """
    The tests of a SimulatedTestCase cannot be simulated here: this process's tasks cannot be captured. \
    The test was not run.
    The first failure of this kind says why.
    Make it a test of an XCTestCase, and wrap its code in simulate { ... }.
    """

  static func aSleeper(line: Int) -> String {
    """
    expectNoSleepers() expected no task asleep on the clock, but 1 task is (now: 0 s):
      at 1 s: "poller", ClockFormsTests.swift:\(line)
    Advance to the end of their sleeps, or cancel the tasks.
    """
  }

  static let all = [
    aBlockedAdvance, aBlockedMainThread, aCancelledRest, aRestWithoutTheCapture,
    realDates, aSimulationGivenUp, noElements, anUncapturedTestCase, aSleeper(line: 1),
  ]
}
