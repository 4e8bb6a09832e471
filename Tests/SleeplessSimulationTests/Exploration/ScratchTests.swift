import SleeplessSimulation
import Testing
import Foundation
@Suite struct ScratchTests {
  @Test func look() async throws {
    for bug in Bug.all {
      let start = Date()
      let result = try await bug.explored(bug.buggy)
      let t = Date().timeIntervalSince(start)
      guard let f = result.failure else { print("NOT FOUND", bug.name, result.run, t); continue }
      print("== \(bug.name): \(f.strategy) schedule \(f.schedule) whole \(f.whole.switches) shrunk \(f.shrunk.switches) \(f.replay) \(t) s")
      print(ScheduleTable(ScheduleRows(f.shrunk), ending: f.cause).text)
      try SchedulePage(ScheduleRows(f.shrunk), title: bug.name + ": " + bug.story, notes: ["Replay: \(f.replay)"], ending: f.cause).html.write(toFile: "/tmp/r7-pages/\(bug.name).html", atomically: true, encoding: .utf8)
    }
  }
}
