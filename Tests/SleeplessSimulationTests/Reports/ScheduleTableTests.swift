import SleeplessSimulation
import Testing

@Suite struct ScheduleTableTests {
  private let rows = SampleTrace.rows(SampleTrace.cancellation)

  @Test func `a column for each task, a row for each stretch`() {
    #expect(ScheduleTable(rows, ending: "a standstill").text == "")
  }

  @Test func `a narrow table cuts long texts in the middle`() {
    #expect(ScheduleTable(rows, ending: "a standstill", width: 76).text == "")
  }

  @Test func `without room for columns the tasks stand in one`() {
    #expect(ScheduleTable(rows, ending: "a standstill", width: 60).text == "")
  }

  @Test func `no line is longer than the width`() {
    for width in 40...140 {
      let lines = ScheduleTable(rows, width: width).text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width }, "width \(width)")
    }
  }

  @Test func `of many rows those round the switches and the last ones are shown`() {
    let rows = SampleTrace.rows(SampleTrace.turns(tasks: 2, rounds: 100))
    #expect(ScheduleTable(rows, width: 60, rowLimit: 6).text == "")
  }

  @Test func `wide letters take two columns`() {
    let trace = SampleTrace.trace(
      names: [nil, "読み手"], [SampleTrace.step([1]), SampleTrace.step([0])])
    #expect(ScheduleTable(SampleTrace.rows(trace), width: 80).text == "")
  }

  @Test func `nothing to show is no table`() {
    #expect(ScheduleTable(ScheduleRows(ScheduleTrace())).text == "")
  }
}
