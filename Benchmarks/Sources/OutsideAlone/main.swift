import Outside

nonisolated func run() async { await measureOutside() }

await run()
