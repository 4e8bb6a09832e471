// virtual time: all sleeps here are in simulations
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

@Suite struct EndOfTestTests {
  @Test func `the checks run after their waits, in the order in which they were added`() async {
    let log = Log<String>()
    let end = EndOfTest()
    end.add { _ in log.append("first") }
    end.add(settling: .init { log.append("settled") }) { _ in log.append("second") }
    end.add { _ in log.append("third") }
    await end.finish()
    await end.finish()
    #expect(log.values == ["settled", "first", "second", "third"])
    #expect(!end.add { _ in log.append("too late") })
  }

  @Test func `a synchronous end waits as well`() async {
    let log = Log<String>()
    let end = EndOfTest()
    end.add { _ in log.append("first") }
    end.add(settling: .init { log.append("settled") }) { _ in log.append("second") }
    await onOwnThread { end.finishHere() }
    #expect(log.values == ["settled", "first", "second"])
  }

  @Test(arguments: [false, true])
  func `a helper that is made while the end waits is given its wait`(isSynchronous: Bool) async {
    let log = Log<String>()
    let end = EndOfTest()
    let makesHelper = EndOfTest.Settling {
      end.add(settling: .init { log.append("settled") }) { _ in log.append("second") }
    }
    end.add(settling: makesHelper) { _ in log.append("first") }
    if isSynchronous { await onOwnThread { end.finishHere() } } else { await end.finish() }
    #expect(log.values == ["settled", "first", "second"])
  }

  @Test func `an end does not wait again and again for a task that makes helpers without an end`()
    async
  {
    let end = EndOfTest()
    let checks = Locked(0)
    @Sendable func addAnother() {
      end.add(settling: .init { addAnother() }) { _ in checks.withLock { $0 += 1 } }
    }
    addAnother()
    await end.finish()
    #expect(checks.withLock { $0 } == 3)
  }

  @Test(.needs(.capture))
  func `a check that is added while the tasks come to rest is given the rest that it needs`() async
  {
    let log = Log<String>()
    let end = EndOfTest()
    end.add(rest: .noMoreEvents) { _ in log.append("checked") }
    Task {
      end.add(rest: .whole) { rest in log.append("checked late, \(rest.unrest ?? "at rest")") }
      // real time: longer than the end of a test waits for events of a task that sleeps
      for _ in 0..<12 { try await Task.sleep(for: .milliseconds(100)) }
      log.append("the task has ended")
    }
    await end.finish()
    #expect(log.values == ["the task has ended", "checked", "checked late, at rest"])
  }

  @Test(.needs(.capture)) func `a check that needs rest runs when the tasks are at rest`() async {
    let log = Log<String>()
    let end = EndOfTest()
    end.add(rest: .whole) { rest in log.append("checked \(rest.unrest ?? "at rest")") }
    Task { await hop { log.append("the task has run") } }
    await end.finish()
    #expect(log.values == ["the task has run", "checked at rest"])
  }

  @Test(.needs(.capture)) func `a check learns which tasks did not come to rest`() async {
    let log = Log<String?>()
    let end = EndOfTest()
    end.add(rest: .whole) { rest in log.append(rest.unrest) }
    // real time: it never comes to its end
    let sleeper = Task(name: "sleeper") { try await Task.sleep(for: .seconds(3600)) }
    await HangTimeout.$shortened.withValue(.milliseconds(300)) { await end.finish() }
    #expect(log.values == ["  task 1 \"sleeper\": asleep"])
    sleeper.cancel()
    _ = try? await sleeper.value
  }

  @Test(.checkedAtEnd) func `the trait gives a test an end`() {
    #expect(EndOfTest.current != nil)
    #expect(Reporter(at: CallSite()).atEndOfTest {})
  }

  @Test func `without the trait there is none`() {
    #expect(!Reporter(at: CallSite()).atEndOfTest {})
  }

  @Test(.needs(.capture), .simulated) func `a simulated test has its end in virtual time`()
    async throws
  {
    let log = Log<Duration?>()
    let body: @Sendable () async throws -> Void = {
      Reporter(at: CallSite()).atEndOfTest(afterRest: { _ in log.append(Simulation.current?.now) })
      _ = Task { try await Task.sleep(for: .seconds(5)) }
    }
    try await EndOfTest.check(after: body)
    #expect(log.values == [.seconds(5)])
  }

  @Test func `every leftover of a test that has not failed fails it, in the order of making`() async
  {
    let failures = await failures {
      let kept = Log<Recorder<Int, Never>>()
      try? await EndOfTest.check {
        for number in 1...2 {
          let recorder = Recorder<Int, Never>("number \(number)")
          recorder.record(number)
          kept.append(recorder)
        }
      }
    }
    #expect(
      failures.map(\.text.firstLine) == [
        "1 event of \"number 1\" was never read:", "1 event of \"number 2\" was never read:",
      ])
  }

  @Test func `failures that a later try has made good are no reason to excuse a leftover`() async {
    let failures = await failures {
      let kept = Log<Recorder<Int, Never>>()
      try? await EndOfTest.check {
        let recorder = Recorder<Int, Never>("numbers")
        recorder.record(1)
        kept.append(recorder)
        let tries = Locked(0)
        await eventually(asserting: "the second try passes") {
          let isFirst = tries.withLock { tries in
            tries += 1
            return tries == 1
          }
          if isFirst { Issue.record("not yet") }
        }
      }
    }
    let leftover = failures.last { $0.text.hasPrefix("1 event") }
    #expect(leftover?.text.contains(Reporter.remark) == false)
  }

  @Test(arguments: [false, true])
  func `a leftover in a test that has failed is a warning`(throwing: Bool) async {
    let issues = Log<(severity: Issue.Severity, text: String)>()
    try? await withKnownIssue(isIntermittent: true) {
      let kept = Log<Recorder<Int, Never>>()
      try await EndOfTest.check {
        let recorder = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
        recorder.record(1)
        kept.append(recorder)
        if throwing { throw Trouble.offline }
        Issue.record("the first failure")
      }
    } matching: { issue in
      issues.append((issue.severity, issue.comments.map(\.rawValue).joined()))
      return true
    }
    let leftover = issues.values.first { $0.text.hasPrefix("1 event") }
    #expect(leftover?.severity == .warning)
    #expect(
      leftover?.text == """
        1 event of "numbers" was never read:
          1  0 s  1  (unread)
        Read the events that matter to the test with next(), expect() or all(), and leave out the \
        others with skip(). If none matters, make the recorder with allowsUnread: true.
        The test had failed before; this may follow from it.
        """)
    #expect(issues.values.count { $0.severity == .error } == 1)
  }

  @Test func `work of a scheduler that a throwing test releases is a warning`() async {
    let issues = Log<(severity: Issue.Severity, text: String)>()
    let line = #line + 4
    try? await withKnownIssue(isIntermittent: true) {
      try await EndOfTest.check {
        let scheduler = TestScheduler()
        scheduler.schedule(after: .seconds(5)) {}
        throw Trouble.offline
      }
    } matching: { issue in
      issues.append((issue.severity, issue.comments.map(\.rawValue).joined()))
      return true
    }
    let leftovers = issues.values.filter { $0.text.hasPrefix("A scheduler") }
    #expect(leftovers.map(\.severity) == [.warning])
    #expect(
      leftovers.map(\.text) == [
        """
        A scheduler was released with work pending that will now never run (now: 0 s):
          at 5 s: EndOfTestTests.swift:\(line)
        Run it with run() or advance(by:), cancel it, or make the scheduler or clock with \
        allowsPendingWork: true if the test does not care.
        The test had failed before; this may follow from it.
        """
      ])
  }

  @Test func `work that is cancelled after the release of its scheduler is no leftover`() async {
    let failures = await failures {
      try? await EndOfTest.check {
        var scheduler: TestScheduler? = TestScheduler()
        let work = scheduler?.schedule(after: .seconds(5)) {}
        scheduler = nil
        work?.cancel()
      }
    }
    #expect(failures == [])
  }

  @Test func `a test that skips itself has no leftovers`() async {
    let leftovers = Log<String>()
    await withKnownIssue(isIntermittent: true) {
      let kept = Log<Recorder<Int, Never>>()
      try? await EndOfTest.check {
        let recorder = Recorder<Int, Never>("numbers")
        recorder.record(1)
        kept.append(recorder)
        TestScheduler().async {}
        throw XCTSkip("not today")
      }
    } matching: { issue in
      // The trait must see the error, so it must not end here.
      guard issue.error == nil else { return false }
      leftovers.append(issue.comments.map(\.rawValue).joined())
      return true
    }
    #expect(leftovers.values == [])
  }

  @Test func `a known issue does not make a remark of a leftover`() async {
    let failures = await failures {
      let kept = Log<Recorder<Int, Never>>()
      try? await EndOfTest.check {
        let recorder = Recorder<Int, Never>("numbers")
        recorder.record(1)
        kept.append(recorder)
        withKnownIssue { Issue.record("expected") }
      }
    }
    #expect(failures.map(\.text.firstLine) == ["1 event of \"numbers\" was never read:"])
  }

  @Test func `a scheduler that is kept fails because of its pending work`() async {
    let line = #line + 4
    let failures = await failures {
      let kept = Log<TestScheduler>()
      try? await EndOfTest.check {
        let scheduler = TestScheduler()
        scheduler.schedule(after: .seconds(5)) {}
        kept.append(scheduler)
      }
    }
    #expect(
      failures == [
        Failure(
          """
          The test ended, and a scheduler has work pending that will now never run (now: 0 s):
            at 5 s: EndOfTestTests.swift:\(line + 1)
          Run it with run() or advance(by:), cancel it, or make the scheduler or clock with \
          allowsPendingWork: true if the test does not care.
          """, line: line)
      ])
  }
}

final class EndOfTestXCTests: FailureCatchingTestCase {
  private var scheduler: TestScheduler?

  func testATestCaseHasAnEnd() {
    XCTAssertTrue(Reporter(at: CallSite()).atEndOfTest {})
  }

  func testEachLeftoverIsTold() async {
    let failures = await failures {
      let end = EndOfTest()
      scheduler = TestScheduler()
      let reporter = Reporter(at: CallSite())
      end.add { _ in reporter.tellLeftover("one") }
      end.add { _ in reporter.tellLeftover("two") }
      await end.finish()
    }
    XCTAssertEqual(failures.map(\.text), ["one", "two"])
  }
}

@MainActor func hop(_ body: @Sendable () -> Void) { body() }
