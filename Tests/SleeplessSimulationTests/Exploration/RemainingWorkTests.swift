import Foundation
import SleeplessSimulation
import Testing

@Suite(.wholeProcess) struct RemainingWorkTests {
  @Test @available(macOS 15, *)
  func `every order of unequal tasks is as likely as any other`() async {
    let steps = [4, 1]
    let (_, all) = await explored(.exhaustive, schedules: .max) { await interleave(steps) }
    let (_, values) = await explored(.remainingWork, schedules: 5_001) { await interleave(steps) }
    // The first schedule shows how long the tasks are.
    let drawn = counts(of: values.dropFirst())
    let chi = counts(of: all[...]).reduce(0) { sum, order in
      let expected = Double(order.value) / Double(all.count) * 5_000
      return sum + pow(Double(drawn[order.key] ?? 0) - expected, 2) / expected
    }
    // The seed is fixed. For 4 degrees of freedom 28 is exceeded with a chance of 1 in 80,000; a walk
    // that is uniform among the jobs that can run has some 5,000.
    #expect(chi < 28)
  }

  private func counts(of values: ArraySlice<String>) -> [String: Int] {
    Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
  }
}
