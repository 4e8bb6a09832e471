// virtual time: everything here runs in simulations
import SleeplessSimulation
import TestSupport
import Testing

/// `Simulation.current` is nil in a task that has outlived its simulation.
@Suite(.needs(.capture)) struct CurrentAfterGivenUpTests {
  @Test func `a job that goes on after its simulation was given up is in none`() async {
    var options = Simulation.Options()
    options.timeout = .milliseconds(100)
    let (gate, over, log) = (ThreadSignal(), Event(), Log<Bool>())
    _ = await Simulation.run(options) {
      wait(for: gate)
      log.append(Simulation.current == nil)
      await Task.yield()
      log.append(Simulation.current == nil)
      over.happen()
    }
    gate.send()
    await over.wait()
    #expect(log.values == [true, true])
  }
}

private func wait(for signal: ThreadSignal) { signal.wait() }
