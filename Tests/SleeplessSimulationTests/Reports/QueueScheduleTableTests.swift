// virtual time: everything here runs in simulations
import Dispatch
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

@Suite(.needs(.queues)) struct QueueScheduleTableTests {
  @Test func `the table of a failing schedule has a column for each queue`() async throws {
    let (result, _) = await explored(.portfolio, schedules: 200, failing: { $0 != 2 }) {
      await shownAnswer()
    }
    let trace = try #require(result.failure).shrunk
    // Without functions, of which the optimiser leaves fewer.
    let rows = ScheduleRows(trace, functions: { _ in [] }, function: { _ in nil })
    let table = ScheduleTable(rows, ending: "a stale answer", width: 160)
    #expect(
      table.text == """
        time |   the body                                 |   queue question 1                        |   queue question 2 |   queue com.apple.main-thread
        -----+--------------------------------------------+-------------------------------------------+--------------------+--------------------------------
         0 s |   makes queue question 1, queue question 2 |                                           |                    |
             |                                            |                                           | > starts, ends     |
             |                                            |   starts                                  |                    |
             |   makes queue com.apple.main-thread        |                                           |                    |
             |                                            |   wakes queue com.apple.main-thread, ends |                    |
             |                                            |                                           |                    |   starts, wakes the body, ends
             |   ends                                     |                                           |                    |
        FAILS: a stale answer
        """)
  }

  @Test func `a block that comes due stands in a row of its own alone`() async throws {
    let (result, _) = await explored(.firstCome, schedules: 1, failing: { _ in true }) {
      for second in 1...2 {
        DispatchQueue(label: "second \(second)").asyncAfter(deadline: .now() + Double(second)) {}
      }
      try? await Task.sleep(for: .seconds(3))
    }
    let trace = try #require(result.failure).shrunk
    let rows = ScheduleRows(trace, functions: { _ in [] }, function: { _ in nil })
    #expect(
      ScheduleTable(rows, width: 100).text == """
         0 s   the body       sleeps until 3 s
         1 s   queue second 1 starts, ends
         2 s   queue second 2 starts, ends
         3 s   the body       its sleep ends, ends
        """)
  }
}

/// Two queues answer; the answer that comes last is shown, whichever was asked for last.
private func shownAnswer() async -> Int {
  let (shown, group) = (Locked(0), DispatchGroup())
  for question in 1...2 {
    DispatchQueue(label: "question \(question)").async(group: group) {
      shown.withLock { $0 = question }
    }
  }
  await withCheckedContinuation { done in group.notify(queue: .main) { done.resume() } }
  return shown.withLock { $0 }
}
