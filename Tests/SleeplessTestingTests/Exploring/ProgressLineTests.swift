// virtual time: everything here runs in simulations
import Sleepless
import SleeplessSimulation
import SleeplessTesting
import Testing
import TestSupport

/// A line that writes to a log instead of a terminal, with a clock that moves by `step` at each
/// reading.
private struct Terminal: Sendable {
  let texts = Log<String>()
  let line: ProgressLine

  init(step: Duration) {
    let time = Locked(Duration.zero)
    line = ProgressLine {
      time.withLock { time in
        time += step
        return time
      }
    } write: { [texts] text in
      texts.append(text)
    }
  }
}

@Suite struct ProgressLineTests {
  @Test func `after two seconds an exploration shows its progress every 200 milliseconds`()
    async throws
  {
    let terminal = Terminal(step: .milliseconds(50))
    var settings = ExplorationSettings(simulation: SimulationSettings(), schedules: 100)
    settings.progressLine = terminal.line
    try await explore(settings, ExplorationEnvironment([:])) { await Task.yield() }
    let texts = terminal.texts.values
    // The clock is read at the start and after each run; the schedules 1, 2, 4, 8, 16, 32 and 64 run twice.
    let shown = texts.dropLast().map { String($0.suffix(24).drop { $0 != ":" }) }
    let schedules =
      Array(stride(from: 34, through: 62, by: 4)) + stride(from: 65, through: 97, by: 4)
    let expected = schedules.map { ": schedule \($0) of 100\r" }
    #expect(shown == expected)
    #expect(texts.allSatisfy { $0.hasPrefix("\r") && $0.hasSuffix("\r") && $0.count <= 81 })
    #expect(texts.joined().utf8.allSatisfy { $0 < 128 })
    // At the end nothing is left of it.
    #expect(texts.last?.allSatisfy { $0 == "\r" || $0 == " " } == true)
    #expect(texts.last?.count == texts.dropLast().last?.count)
  }

  @Test func `an exploration of less than two seconds shows nothing`() async throws {
    let terminal = Terminal(step: .milliseconds(50))
    var settings = ExplorationSettings(simulation: SimulationSettings(), schedules: 33)
    settings.progressLine = terminal.line
    try await explore(settings, ExplorationEnvironment([:])) { await Task.yield() }
    #expect(terminal.texts.values == [])
  }

  @Test func `a shorter text replaces a longer one whole`() {
    let terminal = Terminal(step: .seconds(2))
    terminal.line.show(.exploring(schedule: 7, of: 1_000), of: "Tests/käse()", since: .zero)
    terminal.line.show(.shrinking(run: 12, limit: 1_000, switches: 1), of: "a", since: .zero)
    terminal.line.show(
      .exploring(schedule: 1, of: 9), of: String(repeating: "x", count: 100), since: .zero)
    terminal.line.show(.shrinking(run: 2, limit: 9, switches: 3), of: "b", since: .zero)
    terminal.line.clear()
    let name = String(repeating: "x", count: 62)
    let (rest, all) = (String(repeating: " ", count: 35), String(repeating: " ", count: 44))
    let expected = [
      "\rTests/k?se(): schedule 7 of 1000\r",
      "\ra: shrinking, run 12 of at most 1000, 1 switch\r",
      "\r\(name): schedule 1 of 9\r",
      "\rb: shrinking, run 2 of at most 9, 3 switches\(rest)\r",
      "\r\(all)\r",
    ]
    #expect(terminal.texts.values == expected)
  }
}
