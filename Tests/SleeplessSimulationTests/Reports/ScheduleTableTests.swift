import SleeplessSimulation
import Testing

@Suite struct ScheduleTableTests {
  private let rows = SampleTrace.rows(SampleTrace.cancellation)

  @Test func `a column for each task, a row for each stretch`() {
    let table = ScheduleTable(rows, ending: "a standstill")
    #expect(
      table.text == """
        time │   the body           │   1 "reader"         │   2 closure…box.next │   3 "alarm clock"
        ─────┼──────────────────────┼──────────────────────┼──────────────────────┼──────────────────────
         0 s │   Tests.readsLetters │                      │                      │
             │   makes 1 "…, task 2 │                      │                      │
             │                      │                      │ ▶ starts             │
             │                      │                      │   closure #…box.next │
             │                      │                      │   makes 3 "…m clock" │
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
             ✗ a standstill
        """)
  }

  @Test func `a narrow table cuts long texts in the middle`() {
    let table = ScheduleTable(rows, ending: "a standstill", width: 76)
    #expect(
      table.text == """
        time │   the body     │   1 "reader"   │   2 clos….next │   3 "ala…lock"
        ─────┼────────────────┼────────────────┼────────────────┼────────────────
         0 s │   Tests.…tters │                │                │
             │   makes …ask 2 │                │                │
             │                │                │ ▶ starts       │
             │                │                │   closur….next │
             │                │                │   makes …lock" │
             │                │                │   ends         │
             │                │   starts       │                │
             │                │   Mailbox.next │                │
             │                │   wakes … body │                │
             │                │                │                │   starts
             │                │                │                │   Clock.ring
             │                │                │                │   sleeps…l 1 s
         1 s │                │                │                │   Clock.ring
             │                │                │                │   wakes … body
             │                │                │                │   ends
             │                │ ▶ Mailbox.next │                │
             │                │   ends         │                │
             │   ends         │                │                │
             ✗ a standstill
        """)
  }

  @Test func `without room for columns the tasks stand in one`() {
    let table = ScheduleTable(rows, ending: "a standstill", width: 60)
    #expect(
      table.text == """
         0 s   the body           Tests.readsLette…"reader", task 2
             ▶ 2 closure…box.next starts, closure …arm clock", ends
               1 "reader"         starts, Mailbox.…, wakes the body
               3 "alarm clock"    starts, Clock.ri…sleeps until 1 s
         1 s   3 "alarm clock"    Clock.ring, wakes the body, ends
             ▶ 1 "reader"         Mailbox.next, ends
               the body           ends
             ✗ a standstill
        """)
  }

  @Test func `no line is longer than the width`() {
    for width in 40...140 {
      let lines = ScheduleTable(rows, width: width).text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width }, "width \(width)")
    }
  }

  @Test func `of many rows those round the switches and the last ones are shown`() {
    let rows = SampleTrace.rows(SampleTrace.turns(tasks: 2, rounds: 100))
    let table = ScheduleTable(rows, width: 60, rowLimit: 6)
    #expect(
      table.text == """
         time │   the body │   1 "worker 1"    │   2 "worker 2"
        ──────┼────────────┼───────────────────┼───────────────────
          0 s │            │   starts          │
              │            │   Mailbox.next    │
         1 ms │            │                   │   starts
              │            │                   │   closure…ox.next
         2 ms │            │   Mailbox.next    │
         3 ms │            │                   │   closure…ox.next
         4 ms │            │   Mailbox.next    │
            ⋮ │   ⋮        │   ⋮               │   ⋮
        99 ms │            │                   │   closure…ox.next
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

  @Test func `nothing to show is no table`() {
    #expect(ScheduleTable(ScheduleRows(ScheduleTrace())).text == "")
  }
}
