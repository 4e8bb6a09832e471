// virtual time: everything here runs in simulations
import Sleepless
import SleeplessSimulation
import Testing

@Suite(.wholeProcess) struct BugTests {
  @Test func measure() async {
    for bug in Bug.all {
      let first = await bug.course(bug.buggy, .firstCome)
      var found = 0, firstSeed: UInt64?, steps = 0, kinds: [String: Int] = [:]
      for seed in 0..<2000 as Range<UInt64> {
        let course = await bug.course(bug.buggy, .shuffled(seed: seed))
        steps += course.1
        if let f = course.0 { found += 1; firstSeed = firstSeed ?? seed; kinds[f, default: 0] += 1 }
      }
      var twin: [String: Int] = [:]
      if let f = await bug.course(bug.fixed, .firstCome).0 { twin["FC " + f, default: 0] += 1 }
      for seed in 0..<2000 as Range<UInt64> {
        if let f = await bug.course(bug.fixed, .shuffled(seed: seed)).0 { twin[f, default: 0] += 1 }
      }
      print("\(bug.name)\t\(first.0 == nil ? "silent" : "SHOWS") FC \(first.1)\t\(Double(found)/20)%\tfirst \(firstSeed.map{"\($0)"} ?? "-")\t\(steps/2000) steps\t\(kinds)\tTWIN \(twin)")
    }
  }
}
extension Bug {
  func course(_ body: @escaping @Sendable () async throws -> Void, _ order: Simulation.Options.Order) async -> (String?, Int) {
    let outcome = await Simulation.run(Simulation.Options(order: order, stepLimit: 10_000)) { try await body() }
    let n = outcome.report.steps
    if case .failure(let e)? = outcome.result { return ("\(e)", n) }
    if outcome.result == nil { return ("\(outcome.report.ending)".prefix(12).description, n) }
    if !outcome.report.unfinishedTasks.isEmpty { return ("leftover", n) }
    if outcome.report.escapeCount > 0 { return ("escape", n) }
    return (nil, n)
  }
}
