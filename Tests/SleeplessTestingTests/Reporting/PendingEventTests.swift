import Sleepless
import SleeplessTesting
import TestSupport
import Testing

/// A judgement waits for what a timer brings soon, as it waits for the test's tasks. `LateJudgementXCTests` show it in
/// XCTest.
@Suite(.needs(.capture)) struct PendingEventTests {
  @Test(arguments: LateTest.ofEvents, LateWork.Source.others)
  func `a test is judged after what something other than a task does`(
    test: LateTest, source: LateWork.Source
  ) async {
    #expect(await Verdict(of: test, source) == Verdict(expectedOf: test))
  }

  @Test(arguments: LateWork.Source.others)
  func `AssertState waits up to half a second for one more state`(
    source: LateWork.Source
  ) async {
    let work = LateWork(source)
    let failures = await failures {
      let number = StateSubject<Int, Never>(0)
      await AssertState().assert(
        when: { work.later(after: 200) { number.value = 1 } }, type: Int.self, publisher: number,
        valuesLimit: 1, valuesAssertions: { _ in })
    }
    #expect(
      failures.map(\.text.firstLine) == [
        "assert() expected 1 value from the publisher, but 2 came."
      ])
  }

  @Test(arguments: LateWork.Source.others)
  func `a task that an event wakes comes to rest before the test is judged`(
    source: LateWork.Source
  ) async {
    let work = LateWork(source)
    let failures = await failures {
      try? await EndOfTest.check {
        let spy = Spy<Int>("a spy", allowsUnread: false)
        let mayGoOn = Signal()
        Task {
          await mayGoOn.wait()
          // real time: longer than a judgement waits for pending events
          try await Task.sleep(for: .milliseconds(200))
          spy(1)
        }
        work.later { mayGoOn.send() }
      }
    }
    #expect(failures.map(\.text.firstLine) == ["1 event of \"a spy\" was never read:"])
  }
}
