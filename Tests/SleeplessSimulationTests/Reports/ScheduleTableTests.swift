import SleeplessSimulation
import Testing

@Suite struct ScheduleTableTests {
  private let rows = SampleTrace.rows(SampleTrace.cancellation)

  @Test func `the table has a column for each task and a row for each run of its steps`() {
    let table = ScheduleTable(rows, ending: "a deadlock", width: 134)
    #expect(
      table.text == """
        time |   the body                    |   1 "reader"                  |   task 2                      |   3 "alarm clock"
             |                               |                               |   closure at Mail.swift:20 in |
             |                               |                               |   Mailbox.next                |
        -----+-------------------------------+-------------------------------+-------------------------------+-------------------------------
         0 s |   Tests.readsLetters          |                               |                               |
             |   makes 1 "reader", task 2    |                               |                               |
             |                               |                               | > starts                      |
             |                               |                               |   at Mail.swift:20            |
             |                               |                               |   makes 3 "alarm clock", ends |
             |                               |   starts                      |                               |
             |                               |   Mailbox.next                |                               |
             |                               |   wakes the body              |                               |
             |                               |                               |                               |   starts
             |                               |                               |                               |   Clock.ring at Mail.swift:7
             |                               |                               |                               |   sleeps until 1 s
         1 s |                               |                               |                               |   Clock.ring at Mail.swift:7
             |                               |                               |                               |   wakes the body, ends
             |                               | > Mailbox.next, ends          |                               |
             |   ends                        |                               |                               |
        FAILS: a deadlock
        """)
  }

  @Test func `the blocks of a queue share a column, and each has its own rows`() {
    var trace = SampleTrace.trace(
      names: [nil, "queue store", "queue store"],
      [
        SampleTrace.step([0], effects: [.made(1), .woke(1, by: 0), .made(2), .woke(2, by: 0)]),
        SampleTrace.step([1, 2], effects: [.ended(1, byError: false)]),
        SampleTrace.step([2], effects: [.ended(2, byError: false)]),
        SampleTrace.step([0], effects: [.ended(0, byError: false)]),
      ])
    for number in 1...2 { trace.tasks[number].isBlock = true }
    let rows = ScheduleRows(trace, functions: { _ in [] }, function: { _ in nil })
    #expect(
      ScheduleTable(rows, width: 80).text == """
        time |   the body          |   queue store
        -----+---------------------+----------------
         0 s |   makes queue store |
             |                     |   starts, ends
             |                     |   starts, ends
             |   ends              |
        """)
  }

  @Test func `F5 without room for columns there is a line for each row`() {
    let table = ScheduleTable(rows, ending: "a deadlock", width: 80)
    #expect(
      table.text == """
        task 2 is closure at Mail.swift:20 in Mailbox.next
         0 s   the body        Tests.readsLetters, makes 1 "reader", task 2
             > task 2          starts, at Mail.swift:20, makes 3 "alarm clock", ends
               1 "reader"      starts, Mailbox.next, wakes the body
               3 "alarm clock" starts, Clock.ring at Mail.swift:7, sleeps until 1 s
         1 s   3 "alarm clock" Clock.ring at Mail.swift:7, wakes the body, ends
             > 1 "reader"      Mailbox.next, ends
               the body        ends
        FAILS: a deadlock
        """)
  }

  @Test func `F5 at the width of a phone long texts take several lines`() {
    let table = ScheduleTable(rows, ending: "a deadlock", width: 40)
    #expect(
      table.text == """
        task 2 is closure at Mail.swift:20 in
        Mailbox.next
         0 s   the body     Tests.readsLetters,
                            makes 1 "reader",
                            task 2
             > task 2       starts,
                            at Mail.swift:20,
                            makes 3 "alarm
                            clock", ends
               1 "reader"   starts,
                            Mailbox.next,
                            wakes the body
               3 "al...ock" starts, Clock.ring
                            at Mail.swift:7,
                            sleeps until 1 s
         1 s   3 "al...ock" Clock.ring at
                            Mail.swift:7,
                            wakes the body, ends
             > 1 "reader"   Mailbox.next, ends
               the body     ends
        FAILS: a deadlock
        """)
  }

  @Test func `F5 a text has only ASCII of its own`() {
    for width in [40, 80, 160] {
      let turns = SampleTrace.rows(SampleTrace.turns(tasks: 3, rounds: 200))
      for rows in [rows, turns, SampleTrace.rows(SampleTrace.manyTasks)] {
        let text = ScheduleTable(rows, ending: "a deadlock", width: width, rowLimit: 20).text
        #expect(text.allSatisfy { $0.isASCII }, "\(text)")
      }
    }
  }

  @Test func `in a long schedule tasks without part in a switch are left out`() {
    let table = ScheduleTable(SampleTrace.rows(SampleTrace.manyTasks), ending: "a deadlock")
    #expect(
      table.text == """
        task 1 is Mailbox.next
        task 2 is closure at Mail.swift:20 in Mailbox.next
         0 s   the body Tests.readsLetters, makes tasks 1, 2
               task 2   starts, makes task 3
               the body makes tasks 4 to 30
             > task 2   at Mail.swift:20, ends
               task 1   starts, Mailbox.next, wakes the body, ends
             ... 28 steps of 28 tasks
               the body Tests.readsLetters
        FAILS: a deadlock
        """)
  }

  /// Two payments, a switch between them, twelve viewers of which the last pays too.
  private var payments: ScheduleRows {
    let payers: Set = [1, 2, 14]
    let names = (0...14).map { $0 == 0 ? nil : payers.contains($0) ? "payment" : "viewer" }
    var steps = [SampleTrace.step([0], effects: ([1, 2] + (4...14)).map { .made($0) })]
    steps.append(SampleTrace.step([1, 2], chosen: 1, defaultIndex: 0))
    steps += ([1] + (3...14) + [0]).map { SampleTrace.step([$0]) }
    return ScheduleRows(SampleTrace.trace(names: names, steps)) { step in
      let isPayer = payers.contains(step.candidate.task!)
      return [CodeFrame(function: isPayer ? "Account.pay(_:)" : "closure #1 in Tests.pays()")]
    } function: { _ in
      nil
    }
  }

  @Test func `tasks that run methods of the type that the tasks of a switch run are shown`() {
    #expect(
      payments.selection(atMost: 100) == [
        .row(0), .row(1), .row(2), .leftOut(3..<14, steps: 11, tasks: 11), .row(14), .row(15),
      ])
  }

  @Test func `of many tasks with names the first are listed`() {
    let names = ["1 \"payment\"", "2 \"payment\""] + (4...7).map { "\($0) \"viewer\"" }
    #expect(
      payments.events(of: payments.rows[0]) == [
        "makes \(names.joined(separator: ", ")), 7 more tasks with names"
      ])
  }

  @Test func `no line is longer than the width`() {
    for width in 40...140 {
      let lines = ScheduleTable(rows, width: width).text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width }, "width \(width)")
    }
  }

  @Test func `a table with a row limit shows rows around the switches and the last ones`() {
    let rows = SampleTrace.rows(SampleTrace.turns(tasks: 2, rounds: 100))
    let table = ScheduleTable(rows, width: 76, rowLimit: 6)
    #expect(
      table.text == """
         time |   1 "worker 1"         |   2 "worker 2"
        ------+------------------------+-------------------------------------------
          0 s |   starts, Mailbox.next |
         1 ms |                        |   starts
              |                        |   closure at Mail.swift:20 in
              |                        |   Mailbox.next
         2 ms |   Mailbox.next         |
         3 ms |                        |   closure at Mail.swift:20 in
              |                        |   Mailbox.next
         4 ms |   Mailbox.next         |
              ... 94 steps of 2 tasks
        99 ms |                        |   closure at Mail.swift:20 in
              |                        |   Mailbox.next
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
          for: 1,
          effects: [
            .woke(1, by: nil), .woke(0, by: nil), .ended(2, byError: false), .woke(3, by: nil),
          ]),
        SampleTrace.step(
          [0, 3], chosen: 1, defaultIndex: 1, effects: [.ended(3, byError: true)]),
      ])
    let rows = ScheduleRows(trace, functions: { _ in [] }, function: { _ in nil })
    let table = ScheduleTable(rows, width: 110)
    #expect(
      table.text == """
        time |   1 "first" |   2 "second"                   |   3 "third"
        -----+-------------+--------------------------------+------------------------------
         0 s |   starts    |                                |
             |             |   starts, wakes the body, ends |
             |             |                                |   starts, ends with an error
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
        time |   the body |   1 "sleeper"
        -----+------------+----------------------------
         0 s |            |   starts, sleeps until 1 s
         1 s |            |   its sleep ends
             |   goes on  |
        """)
  }

  @Test func `F5 a row that would take many lines in its column makes a list`() {
    let trace = SampleTrace.trace(
      names: [nil, nil, "mail"],
      [
        SampleTrace.step([0]),
        SampleTrace.step([2], effects: [.fellAsleep(2, until: .seconds(1))]),
      ])
    let rows = SampleTrace.rows(trace)
    #expect(ScheduleTable(rows, width: 90).text.hasPrefix("time |   the body "))
    #expect(
      ScheduleTable(rows, width: 72).text == """
         0 s   the body Tests.readsLetters
               2 "mail" starts, closure at Mail.swift:20 in Mailbox.next,
                        sleeps until 1 s
        """)
  }

  @Test func `F5 the rounds of a loop are told once`() {
    let lines = [3, 4, 3, 4, 3, 4, 7, 8, 8, 9]
    // A step shows its number by how many jobs could run.
    let trace = SampleTrace.trace(
      names: [nil, "loop"],
      lines.indices.map { SampleTrace.step(Array(repeating: 1, count: $0 + 1)) })
    let rows = ScheduleRows(trace) { step in
      let line = SourceLine(path: "/src/Loop.swift", number: lines[step.runnable.count - 1])
      return [CodeFrame(function: "loop()", line: line)]
    } function: { _ in
      nil
    }
    #expect(
      ScheduleTable(rows).text.contains(
        "starts, loop at Loop.swift:3 -> 4 (3 times) -> 7 -> 8 -> 9"))
  }

  @Test func `wide letters take two columns`() {
    let trace = SampleTrace.trace(
      names: [nil, "読み手"], [SampleTrace.step([1]), SampleTrace.step([0])])
    let table = ScheduleTable(SampleTrace.rows(trace), width: 80)
    #expect(
      table.text == """
        time |   the body           |   1 "読み手"
        -----+----------------------+------------------------
         0 s |                      |   starts, Mailbox.next
             |   Tests.readsLetters |
        """)
  }

  @Test func `a schedule without steps gives an empty text`() {
    #expect(ScheduleTable(ScheduleRows(ScheduleTrace())).text == "")
  }
}
