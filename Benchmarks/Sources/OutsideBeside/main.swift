import Outside
import SleeplessSimulation

nonisolated func run() async {
  // What a simulation leaves behind in the process is measured as well.
  _ = await Simulation.run { await Task {}.value }
  await measureOutside()
}

await run()
