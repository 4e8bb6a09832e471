import Sleepless
import SleeplessTesting
import TestSupport
import Testing

/// `AssertState` waits for what a timer brings, as it waits for the test's tasks. `LateJudgementXCTests` show that other
/// judgements do so, too: they wait for a shorter time, and the tests of XCTest run one after another.
@Suite(.needs(.capture)) struct PendingEventTests {
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
}
