import Outside
import SleeplessSimulation

nonisolated func run() async { await measureOutside() }

await run()
