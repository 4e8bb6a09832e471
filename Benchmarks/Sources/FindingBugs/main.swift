// How soon each strategy finds each bug of the suite, beside native repetition. `bugs` builds and
// runs it. Prints a Markdown table. The arguments are the number of seeds and of native runs
// (default 20 and 1000).

import Foundation
@_spi(Benchmarks) import SleeplessSimulation

@available(macOS 15, *)
let strategies: [(name: String, strategy: ExplorationStrategy)] = [
  ("default", .portfolio), ("uniform", .uniform), ("PCT 3", .pct(depth: 3)), ("POS", .pos),
  ("remaining work", .remainingWork), ("3 delays", .delayBounded(3)),
  ("woken first", .wokenFirst),
]
let limit = 10_000
let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let seedCount = numbers.first ?? 20
let nativeCount = numbers.dropFirst().first ?? 1_000

/// The mean number of the first failing schedule over the successful seeds, and the number of
/// successful seeds if some failed.
@available(macOS 15, *)
func meanSchedules(to bug: Bug, _ strategy: ExplorationStrategy) async -> String {
  var found: [Int] = []
  for seed in 0..<UInt64(seedCount) {
    // If four seeds find nothing, the other sixteen are not tried.
    if seed == 4, found.isEmpty { return "–" }
    let schedule = await Simulation.firstFailure(
      schedules: limit, strategy: strategy, seed: seed, bug.buggy)
    if let schedule { found.append(schedule) }
  }
  guard !found.isEmpty else { return "–" }
  let mean = Double(found.reduce(0, +)) / Double(found.count)
  let text = mean < 10 ? String(format: "%.1f", mean) : String(format: "%.0f", mean)
  return found.count == seedCount ? text : "\(text) (\(found.count) of \(seedCount))"
}

/// Writes each line at once, also into a file, because the table takes long.
func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

write("| bug | \(strategies.map(\.name).joined(separator: " | ")) | native |")
write("|---|\(strategies.map { _ in "---|" }.joined())---|")
let threads = BusyThreads()
for bug in Bug.all {
  var cells: [String] = []
  for (_, strategy) in strategies { cells.append(await meanSchedules(to: bug, strategy)) }
  cells.append("\(await nativeFailures(of: bug, runs: nativeCount, beside: threads))")
  write("| \(bug.name) | \(cells.joined(separator: " | ")) |")
}
