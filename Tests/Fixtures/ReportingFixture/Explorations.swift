// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing

@Suite struct Explorations {
  @Test(.explored(schedules: 500)) func overtaken() async {
    #expect(await overtakes() == false)  // MARK: explored expectation
  }

  @Test(.explored(schedules: 500)) func crashing() async {
    if await overtakes() { precondition(Cell.current.scenario != "crash", "the bug") }
  }
}

/// Whether the second of two tasks has both its turns within one gap of the first: not first come,
/// first served.
private func overtakes() async -> Bool {
  let log = Locked("")
  async let first: Void = takeTurns("a", log)
  async let second: Void = takeTurns("b", log)
  _ = await (first, second)
  return log.withLock { $0.hasPrefix("abb") }
}

private func takeTurns(_ name: String, _ log: Locked<String>) async {
  for _ in 0..<3 {
    log.withLock { $0 += name }
    await Task.yield()
  }
}
