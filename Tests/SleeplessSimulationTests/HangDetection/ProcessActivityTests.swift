import SleeplessSimulation
import TestSupport
import Testing

@Suite(.needs(.capture)) struct ProcessActivityTests {
  @Test func `a job that is given to the threads of tasks changes the count of jobs`() async {
    let count = ProcessActivity.jobCount
    await Task {}.value
    #expect(ProcessActivity.jobCount != count)
  }
}
