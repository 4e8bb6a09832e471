// Runs many simulations in one process, some of them at once. After each tenth it prints the
// process's memory and threads, and the simulations per second. Fails if memory or threads grow
// after the first tenth.
//
//     swift run -c release ManySimulations [COUNT]      100,000 unless told
import Foundation
import SleeplessSimulation

let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 100_000
let tenth = max(1, count / 10)

/// Tasks of each kind, an actor, the main actor, a sleep, and a task that does not end.
@Sendable func program() async throws {
  let counter = Counter()
  async let child: Void = counter.increment()
  await withTaskGroup { group in
    for _ in 1...3 { group.addTask { await counter.increment() } }
  }
  let task = Task {
    try await Task.sleep(for: .seconds(60))
    await counter.increment()
  }
  await child
  try await task.value
  await incrementOnMain(counter)
  Task { for await _ in AsyncStream<Int>.makeStream().stream {} }
  let total = await counter.count
  precondition(total == 6)
}

@MainActor func incrementOnMain(_ counter: Counter) async { await counter.increment() }

actor Counter {
  private(set) var count = 0

  func increment() { count += 1 }
}

/// A number from the kernel's status of this process.
func status(_ name: String) -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
  return Int(line.filter(\.isNumber)) ?? 0
}

var firstTenth = (memory: 0, threads: 0)
print("simulations\tper second\tKiB\tthreads")
for round in 1...10 {
  let start = ContinuousClock.now
  try await withThrowingTaskGroup { group in
    for _ in 1...4 {
      group.addTask {
        for _ in 1...max(1, tenth / 4) {
          let outcome = await Simulation.run { try await program() }
          try outcome.result?.get()
          precondition(outcome.report.elapsed == .seconds(60))
          precondition(outcome.report.tasksIgnoringCancellation.isEmpty)
        }
      }
    }
    try await group.waitForAll()
  }
  let seconds = start.duration(to: .now) / .seconds(1)
  let now = (memory: status("VmRSS"), threads: status("Threads"))
  if round == 1 { firstTenth = now }
  print("\(round * tenth)\t\(Int(Double(tenth) / seconds))\t\(now.memory)\t\(now.threads)")
}
let last = (memory: status("VmRSS"), threads: status("Threads"))
// An allocator holds a little memory that is in use at the moment of the reading.
guard last.memory < firstTenth.memory + 2048, last.threads < firstTenth.threads + 8 else {
  print("It grows: \(firstTenth) after the first tenth, \(last) at the end.")
  exit(1)
}
