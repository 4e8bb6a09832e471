import Testing

import SleeplessTesting

@Suite struct WaitTableTests {
  private func table(_ run: MeasuredRun) -> String { WaitTable.text(of: WaitSummary(run)) }

  @Test func `serial tests are added up`() {
    let run = MeasuredRun(
      .xctest, tests: [.test("ATests.testA", 0, 2), .test("ATests.testB", 2, 2.5)],
      waits: [
        .wait(.expectation, 0, 1.5, line: 12, test: 0),
        .wait(.threadSleep, 2, 2.125, line: 30, count: 25, test: 1),
        .wait(.semaphore, 2.25, 2.375, line: 31, count: 2, test: 1),
      ], end: .seconds(3))
    #expect(
      table(run) == """

        Sleepless: where the tests of XCTest waited

             time    waited
              2 s     1.5 s  ATests.testA
                      1.5 s    expectation, Tests/A.swift:12, wait()
           500 ms    250 ms  ATests.testB
                     125 ms    polling loop (thread sleep, 25 times), Tests/A.swift:30, wait()
                     125 ms    semaphore, 2 times, Tests/A.swift:31, wait()

        2 of 2 tests waited 1.75 s of 2.5 s.
        What to write instead: SLEEPLESS_WAITS=waits.json swift test, and then
        swift package find-waits --with waits.json

        """)
  }

  @Test func `parallel tests are not added up`() {
    let run = MeasuredRun.run(
      [.test("a", 0, 1), .test("b", 0, 1)],
      [
        .wait(.taskSleep, 0, 1, test: 0), .wait(.taskSleep, 0, 0.25, test: 1),
        .wait(.group, 0.25, 0.5, test: nil),
      ])
    #expect(
      table(run) == """

        Sleepless: where the tests of Swift Testing waited

             time    waited
              1 s       1 s  a
                        1 s    Task.sleep, Tests/A.swift:1, wait()
              1 s    250 ms  b
                     250 ms    Task.sleep, Tests/A.swift:1, wait()
                             of no test, or of one that is not known:
                     250 ms    dispatch group, Tests/A.swift:1, wait()

        2 of 2 tests waited. They ran side by side for 1 s. Without the waits
        that would be at least 250 ms shorter.
        What to write instead: SLEEPLESS_WAITS=waits.json swift test, and then
        swift package find-waits --with waits.json

        """)
  }

  @Test func `parallel tests that do not wait together have no figure`() {
    let run = MeasuredRun.run(
      [.test("a", 0, 2), .test("b", 0, 2)],
      [.wait(.taskSleep, 0, 1, test: 0), .wait(.taskSleep, 1, 2, test: 1)])
    #expect(
      table(run).contains(
        """
        2 of 2 tests waited. They ran side by side for 2 s.
        While some waited, others computed.

        """))
  }

  @Test func `a suite that does not wait gets one line`() {
    #expect(
      table(.run([.test("a", 0, 0.0126)], [])) == """

        Sleepless: where the tests of Swift Testing waited

        None of 1 test waited; they took 12.6 ms.

        """)
  }

  @Test func `a process that ended too early is named first, and what was not measured last`() {
    let run = MeasuredRun(
      .xctest, tests: [.test("a", 0, nil)], waits: [.wait(.semaphore, 0, nil, test: 0)],
      end: .seconds(2), limits: ["Sleeps of tasks were not measured."])
    #expect(
      table(run) == """

        Sleepless: where the tests of XCTest waited

        The process ended while these tests ran: a.

             time    waited
              2 s       2 s  a
                        2 s    semaphore, Tests/A.swift:1, wait()

        1 of 1 test waited 2 s of 2 s.
        Sleeps of tasks were not measured.
        What to write instead: SLEEPLESS_WAITS=waits.json swift test, and then
        swift package find-waits --with waits.json

        """)
  }

  @Test func `fifty tests are listed, and the others counted`() {
    let tests = (0..<60).map { MeasuredRun.Test.test("t\($0)", Double($0), Double($0) + 1) }
    let waits = (0..<60).map {
      MeasuredRun.Wait.wait(.taskSleep, Double($0), Double($0) + 1, test: $0)
    }
    let lines = table(.run(tests, waits)).split(separator: "\n")
    #expect(lines.count == 2 + 100 + 1 + 3)
    #expect(lines.contains("                     and 10 more tests"))
    #expect(lines.contains("60 of 60 tests waited 60 s of 60 s."))
  }

  @Test func `a place without debug information has no line`() {
    let place = MeasuredRun.Place(file: "", line: 0, function: "wait()")
    let run = MeasuredRun.run(
      [.test("a", 0, 1)],
      [MeasuredRun.Wait(.taskSleep, at: place, from: .zero, to: .seconds(1), test: 0)])
    #expect(table(run).contains("1 s    Task.sleep, wait()\n"))
  }
}
