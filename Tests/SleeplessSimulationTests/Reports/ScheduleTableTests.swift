import SleeplessSimulation
import Testing

@Suite struct ScheduleTableTests {
  private let rows = SampleTrace.rows(SampleTrace.cancellation)

  @Test func `the table has a column for each task and a row for each run of its steps`() {
    let table = ScheduleTable(rows, ending: "a deadlock")
    #expect(
      table.text == """
        time │   the body           │   1 "reader"         │   task 2             │   3 "alarm clock"
             │                      │                      │   closure #1 in      │
             │                      │                      │   closure #2 in      │
             │                      │                      │   Mailbox.next       │
        ─────┼──────────────────────┼──────────────────────┼──────────────────────┼──────────────────────
         0 s │   Tests.readsLetters │                      │                      │
             │   makes 1 "reader",  │                      │                      │
             │   task 2             │                      │                      │
             │                      │                      │ ▶ starts             │
             │                      │                      │   closure #1         │
             │                      │                      │   makes 3 "alarm     │
             │                      │                      │   clock"             │
             │                      │                      │   ends               │
             │                      │   starts             │                      │
             │                      │   Mailbox.next       │                      │
             │                      │   wakes the body     │                      │
             │                      │                      │                      │   starts
             │                      │                      │                      │   Clock.ring
             │                      │                      │                      │   sleeps until 1 s
         1 s │                      │                      │                      │   Clock.ring
             │                      │                      │                      │   wakes the body
             │                      │                      │                      │   ends
             │                      │ ▶ Mailbox.next, ends │                      │
             │   ends               │                      │                      │
             ✗ a deadlock
        """)
  }

  @Test func `in a narrow table long texts take several lines`() {
    let table = ScheduleTable(rows, ending: "a deadlock", width: 76)
    #expect(
      table.text == """
        time │   the body     │   1 "reader"   │   task 2       │   3 "alarm
             │                │                │   closure #1   │   clock"
             │                │                │   in closure   │
             │                │                │   #2 in        │
             │                │                │   Mailbox.next │
        ─────┼────────────────┼────────────────┼────────────────┼────────────────
         0 s │   Tests.       │                │                │
             │   readsLetters │                │                │
             │   makes 1      │                │                │
             │   "reader",    │                │                │
             │   task 2       │                │                │
             │                │                │ ▶ starts       │
             │                │                │   closure #1   │
             │                │                │   makes 3      │
             │                │                │   "alarm       │
             │                │                │   clock"       │
             │                │                │   ends         │
             │                │   starts       │                │
             │                │   Mailbox.next │                │
             │                │   wakes the    │                │
             │                │   body         │                │
             │                │                │                │   starts
             │                │                │                │   Clock.ring
             │                │                │                │   sleeps until
             │                │                │                │   1 s
         1 s │                │                │                │   Clock.ring
             │                │                │                │   wakes the
             │                │                │                │   body
             │                │                │                │   ends
             │                │ ▶ Mailbox.next │                │
             │                │   ends         │                │
             │   ends         │                │                │
             ✗ a deadlock
        """)
  }

  @Test func `without room for columns all tasks are in one column`() {
    let table = ScheduleTable(rows, ending: "a deadlock", width: 60)
    #expect(
      table.text == """
        task 2 is closure #1 in closure #2 in Mailbox.next
         0 s   the body        Tests.readsLetters, makes 1 "reader",
                               task 2
             ▶ task 2          starts, closure #1,
                               makes 3 "alarm clock", ends
               1 "reader"      starts, Mailbox.next, wakes the body
               3 "alarm clock" starts, Clock.ring, sleeps until 1 s
         1 s   3 "alarm clock" Clock.ring, wakes the body, ends
             ▶ 1 "reader"      Mailbox.next, ends
               the body        ends
             ✗ a deadlock
        """)
  }

  @Test func `no line is longer than the width`() {
    for width in 40...140 {
      let lines = ScheduleTable(rows, width: width).text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width }, "width \(width)")
    }
  }

  @Test func `a table with a row limit shows rows around the switches and the last ones`() {
    let rows = SampleTrace.rows(SampleTrace.turns(tasks: 2, rounds: 100))
    let table = ScheduleTable(rows, width: 60, rowLimit: 6)
    #expect(
      table.text == """
         time │   the body │   1 "worker 1"    │   2 "worker 2"
        ──────┼────────────┼───────────────────┼───────────────────
          0 s │            │   starts          │
              │            │   Mailbox.next    │
         1 ms │            │                   │   starts
              │            │                   │   closure #1 in
              │            │                   │   closure #2 in
              │            │                   │   Mailbox.next
         2 ms │            │   Mailbox.next    │
         3 ms │            │                   │   closure #1 in
              │            │                   │   closure #2 in
              │            │                   │   Mailbox.next
         4 ms │            │   Mailbox.next    │
            ⋮ │   ⋮        │   ⋮               │   ⋮
        99 ms │            │                   │   closure #1 in
              │            │                   │   closure #2 in
              │            │                   │   Mailbox.next
        """)
  }

  @Test func `effects of other tasks in an actor's step are in the columns of those tasks`() {
    // The actor runs the second and the third. The second wakes the body as it ends, and the third moves to
    // another executor.
    let trace = SampleTrace.trace(
      names: [nil, "first", "second", "third"],
      [
        SampleTrace.step([1, 2]),
        SampleTrace.actorStep(
          for: 1, effects: [.woke(1, by: nil), .woke(0, by: nil), .ended(2), .woke(3, by: nil)]),
        SampleTrace.step([0, 3], chosen: 1, defaultIndex: 1, effects: [.ended(3)]),
      ])
    let table = ScheduleTable(ScheduleRows(trace, functions: { _ in [] }, function: { _ in nil }))
    #expect(
      table.text == """
        time │   the body │   1 "first" │   2 "second"                   │   3 "third"
        ─────┼────────────┼─────────────┼────────────────────────────────┼────────────────
         0 s │            │   starts    │                                │
             │            │             │   starts, wakes the body, ends │
             │            │             │                                │   starts, ends
        """)
  }

  @Test func `the end of a sleep is a row even if its task takes no step after it`() {
    let trace = SampleTrace.trace(
      names: [nil, "sleeper"],
      [
        SampleTrace.step([1], effects: [.fellAsleep(1, until: .seconds(1))]),
        SampleTrace.alarm(of: 1, at: .seconds(1)), SampleTrace.step([0], at: .seconds(1)),
      ])
    let table = ScheduleTable(ScheduleRows(trace, functions: { _ in [] }, function: { _ in nil }))
    #expect(
      table.text == """
        time │   the body │   1 "sleeper"
        ─────┼────────────┼────────────────────────────
         0 s │            │   starts, sleeps until 1 s
         1 s │            │   wakes up
             │   goes on  │
        """)
  }

  @Test func `wide letters take two columns`() {
    let trace = SampleTrace.trace(
      names: [nil, "読み手"], [SampleTrace.step([1]), SampleTrace.step([0])])
    let table = ScheduleTable(SampleTrace.rows(trace), width: 80)
    #expect(
      table.text == """
        time │   the body           │   1 "読み手"
        ─────┼──────────────────────┼────────────────────────
         0 s │                      │   starts, Mailbox.next
             │   Tests.readsLetters │
        """)
  }

  @Test func `a schedule without steps gives an empty text`() {
    #expect(ScheduleTable(ScheduleRows(ScheduleTrace())).text == "")
  }
}
