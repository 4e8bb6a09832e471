// The speed of simulations in the build configuration of this program. `simulation` builds and runs
// it in both configurations. Prints name and rate, separated by a tab.

import Dispatch
import Foundation
import Programs
@_spi(Benchmarks) import SleeplessSimulation

/// The median of some measurements of the process's processor time. It covers the whole process
/// because the driver moves from thread to thread. Other processes hardly affect it.
@available(macOS 15, *)
func rate(_ measure: () async -> Int) async -> Int {
  var rates: [Double] = []
  for _ in 0..<9 {
    let start = clock()
    let count = await measure()
    rates.append(Double(count) / (Double(clock() - start) / Double(CLOCKS_PER_SEC)))
  }
  return Int(rates.sorted()[rates.count / 2])
}

@available(macOS 15, *)
func jobs() async -> Int {
  let outcome = await Simulation.run(Simulation.Options(stepLimit: .max)) {
    await yieldAndHop(times: 50_000)
  }
  precondition(try! outcome.result!.get() == 50_000)
  return outcome.report.steps
}

/// Counts the results of schedules. Each schedule is a new simulation with a new seed.
@available(macOS 15, *)
final class Schedules: @unchecked Sendable {
  // Unchecked: a batch calls it from one thread at a time.
  private(set) var count = 0
  private let limit = 5_000

  func next(after previous: Simulation.Outcome<Int>?) -> Simulation.Options? {
    if let previous {
      precondition(try! previous.result!.get() == 2)
      count += 1
    }
    let seed = UInt64(count)
    return count < limit ? Simulation.Options(order: .shuffled(seed: seed)) : nil
  }
}

@available(macOS 15, *)
func schedules() async -> Int {
  let schedules = Schedules()
  await Simulation.runSeries(shareTwoActors) { schedules.next(after: $0) }
  return schedules.count
}

@available(macOS 15, *)
func singleSchedules() async -> Int {
  let schedules = Schedules()
  var previous: Simulation.Outcome<Int>?
  while let options = schedules.next(after: previous) {
    previous = await Simulation.run(options, shareTwoActors)
  }
  return schedules.count
}

@available(macOS 15, *)
nonisolated func measureAll() async {
  let steps = await Simulation.run(Simulation.Options(), shareTwoActors).report.steps
  print("jobs\t\(await rate(jobs))")
  print("schedules of \(steps) jobs\t\(await rate(schedules))")
  print("schedules of \(steps) jobs, one call each\t\(await rate(singleSchedules))")
}

if #available(macOS 15, *) { await measureAll() }
