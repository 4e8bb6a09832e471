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
    A job of the test has kept its thread for 1 s of real time (virtual time: 0 s):
      task 1: suspended since 0 s
      task 2: running since 0 s
    XCTest runs no other test until the job returns.
    This is usually a lock or a synchronous call that waits for something that only another job can \
    do, or an endless loop. Await instead of blocking, and end a loop when Task.isCancelled is true.
    """

  static let aBlockedMainThreadAtTheEnd = """
    The test has ended (at 0 s), but a task blocks the main thread:
      task 1: waiting for a condition since 0 s
    XCTest runs no other test until it goes on.
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

  static func forgottenSleep(line: Int) -> String {
    """
    For 20 ms of real time nothing has advanced the clock made at TestClockTests.swift:\(line), and \
    tasks are asleep on it (now: 0 s):
      at 60 s: "poller", TestClockTests.swift:\(line)
    Their sleeps end with an error, so that a test which awaits them can end. Advance first: \
    waitForSleepers(), then advance(by:).
    """
  }

  static let anUnusedClock = """
    The clock was advanced, but nothing has slept on it or read its time.
    If the code under test has to use it, pass it this clock and call waitForSleepers() before the advance. \
    If it must not, an UnimplementedClock proves that.
    """

  static let aValueAfterTheEnd = """
    The value 2 was sent after the end, so nothing gets it.
    Send it before, or make the publisher with allowing: [.eventsAfterEnd].
    """

  static let aRealDuration = """
    never "shown" took 5 ms of real time, and takes it in each run of the test.
    In a simulation (.simulated, SimulatedTestCase) it takes none, nor with advancing: and a TestScheduler.
    """

  static func aForbiddenSleep(line: Int) -> String {
    """
    UnimplementedClock was used: sleep, called in Poller.poll() at UnimplementedTests.swift:\(line).
    This stand-in says that the test needs none. If it does, pass a test scheduler or clock, or an immediate one.
    """
  }

  static let workBegunOutside = """
    The code has begun work that the simulation does not control, and that may still go on:
      a source of Dispatch for a descriptor or a signal, begun at 3 s
      a network call, begun at 3 s
    Virtual time does not wait for it, so the failure may follow from that. Use a double there, or run the call in \
    Simulation.outside { ... }, which stops virtual time until it returns.
    """

  /// The end of a failure of a wait that has ended because the process is at rest.
  static let adviceAtRest = """
    No task, thread, queue, timer or child process can bring it. Was the code started? Does it wait for a call \
    that the test must make? What comes from another process is waited for with SLEEPLESS_GUARD_SECONDS=10.
    """

  static let aConditionAtRest = """
    eventually expected its condition to become true, but it stayed false: nothing goes on in the process any \
    more, and nothing came for 50 ms.
    So far (now: *, evaluated * times):
      1  *  false
    \(adviceAtRest)
    """

  static let aRecorderAtRest = """
    next() expected a value from "numbers", but none came: nothing goes on in the process any more, and nothing \
    came for 50 ms.
    Nothing has come so far (now: *).
    \(adviceAtRest)
    """

  static let all = [
    aBlockedAdvance, aBlockedMainThread, aBlockedMainThreadAtTheEnd,
    aCancelledRest, aRestWithoutTheCapture,
    realDates, aSimulationGivenUp, noElements, anUncapturedTestCase, aSleeper(line: 1),
    forgottenSleep(line: 1), anUnusedClock, aValueAfterTheEnd, aRealDuration,
    aForbiddenSleep(line: 1),
    aConditionAtRest, aRecorderAtRest, workBegunOutside,
  ]
}
