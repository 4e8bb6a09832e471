// virtual time: all sleeps are in simulations
import CTestSupport
import Dispatch
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

/// A sleep of the thread takes virtual time (S10).
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct ThreadSleepTests {
  // The timeout is so long that a test would fail if its simulation waited for it.
  private let options = Simulation.Options(timeout: .seconds(600))

  @Test(arguments: ThreadSleep.all)
  fileprivate func `S10 a sleep of the thread takes virtual time`(sleep: ThreadSleep) async throws {
    if sleep.needsDates { try Need.dates.orCancel() }
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      Task {
        for _ in 1...3 {
          try await Task.sleep(for: .milliseconds(400))
          runLog.note("tick")
        }
      }
      sleep.call()
      runLog.note("slept")
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(runLog.entries == ["tick@400", "tick@800", "slept@1000", "tick@1200"])
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .milliseconds(1200))
    #expect(outcome.report.unfinishedTasks.isEmpty)
  }

  #if os(Linux)
    @Test(.needs(.queues), .needs(.operations), arguments: [true, false])
    func `S10 a sleep takes virtual time where optimised code that Foundation calls sleeps last`(
      isInMicroseconds: Bool
    ) async {
      let outcome = await Simulation.run(options) {
        let sleepLast: @convention(c) () -> Void =
          isInMicroseconds ? test_support_usleep_last : test_support_sleep_last
        // A closure without a context: Foundation calls the function itself.
        let closure = (unsafeBitCast(sleepLast, to: UInt.self), UInt(0))
        OperationQueue().addOperation(unsafeBitCast(closure, to: (@Sendable () -> Void).self))
        await Simulation.current!.settle()
      }
      #expect(outcome.report.elapsed == .seconds(10))
    }

    @Test(.needs(.queues))
    func `S10 a sleep takes virtual time where an optimised block of C sleeps last`() async {
      let outcome = await Simulation.run(options) {
        let queue = DispatchQueue(label: "com.example.serial")
        test_support_sync_that_sleeps_last(UnsafeMutableRawPointer(queue.object))
      }
      #expect(outcome.report.elapsed == .seconds(10))
    }
  #endif

  @Test(.needs(.queues), arguments: ThreadSleep.all)
  fileprivate func `S10 a sleep in a block takes virtual time, and so does one in a nested sync`(
    sleep: ThreadSleep
  ) async throws {
    if sleep.needsDates { try Need.dates.orCancel() }
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let (outer, inner) = (DispatchQueue(label: "outer"), DispatchQueue(label: "inner"))
      outer.async {
        sleep.call()
        runLog.note("outer slept")
        inner.sync { sleep.call() }
        runLog.note("inner slept")
      }
      outer.async { runLog.note("after") }
      DispatchQueue.global().async {
        sleep.call()
        sleep.call()
        sleep.call()
        runLog.note("global slept")
      }
      try await Task.sleep(for: .milliseconds(1500))
      runLog.note("body")
      try await Task.sleep(for: .seconds(2))
    }
    #expect(
      runLog.entries == [
        "outer slept@1000", "body@1500", "inner slept@2000", "after@2000", "global slept@3000",
      ])
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .milliseconds(3500))
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `a cancelled task sleeps on its thread to the end`() async {
    let runLog = RunLog()
    _ = await Simulation.run(options) {
      let sleeper = Task {
        sleepThread(.seconds(5))
        runLog.note("cancelled: \(Task.isCancelled)")
      }
      try await Task.sleep(for: .seconds(1))
      sleeper.cancel()
      await sleeper.value
    }
    #expect(runLog.entries == ["cancelled: true@5000"])
  }

  @Test func `a sleep of zero lets other tasks run first`() async {
    let runLog = RunLog()
    _ = await Simulation.run(options) {
      let other = Task { runLog.note("other") }
      sleepThread(.zero)
      runLog.note("body")
      await other.value
    }
    #expect(runLog.entries == ["other@0", "body@0"])
  }

  @Test func `with manual time a thread sleeps until the code advances`() async {
    let runLog = RunLog()
    var options = options
    options.time = .manual
    let outcome = await Simulation.run(options) {
      let sleeper = Task {
        sleepThread(.seconds(5))
        runLog.note("slept")
      }
      await Simulation.current?.advance(by: .seconds(4))
      runLog.note("advanced")
      await Simulation.current?.advance(by: .seconds(1))
      await sleeper.value
    }
    #expect(runLog.entries == ["advanced@4000", "slept@5000"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `settle does not wait for a background task that sleeps on its thread`() async {
    let outcome = await Simulation.run(options) {
      let simulation = Simulation.current!
      simulation.background {
        _ = Task { while !Task.isCancelled { sleepThread(.seconds(60)) } }
      }
      try await Task.sleep(for: .seconds(100))
      await simulation.settle()
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .seconds(100))
    #expect(outcome.report.unfinishedTasks.isEmpty)
  }

  @Test func `a sleep until the distant future lasts as long as the simulation allows`() async {
    var options = options
    options.timeLimit = .seconds(3600)
    let outcome = await Simulation.run(options) { sleepThread(until: .distantFuture) }
    #expect(outcome.report.ending.name == "tooLate")
  }
}

/// A way to let a thread sleep for a second.
private struct ThreadSleep: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Whether it lasts exactly a second only if the date is the simulation's.
  var needsDates = false
  let call: @Sendable () -> Void

  static let all = [
    Self(testDescription: "Thread.sleep(forTimeInterval:)") { Thread.sleep(forTimeInterval: 1) },
    Self(testDescription: "Thread.sleep(until:)", needsDates: true) {
      Thread.sleep(until: Date(timeIntervalSinceNow: 1))
    },
    Self(testDescription: "sleep") { _ = Foundation.sleep(1) },
    Self(testDescription: "usleep") { usleep(1_000_000) },
    Self(testDescription: "nanosleep") { sleepNanoseconds() },
  ]
}

// These two are synchronous because asynchronous code must not call what they call.

private func sleepThread(until date: Date) { Thread.sleep(until: date) }

private func sleepNanoseconds() {
  #if os(Linux)
    var time = timespec(tv_sec: 0, tv_nsec: 999_999_999)
    nanosleep(&time, nil)
    time = timespec(tv_sec: 0, tv_nsec: 1)
    var rest = timespec(tv_sec: 1, tv_nsec: 1)
    nanosleep(&time, &rest)
    precondition(rest.tv_sec == 0 && rest.tv_nsec == 0)
  #endif
}
