// The speed of simulations in the build configuration of this program. `simulation` builds and runs
// it in both configurations. Prints name and rate, separated by a tab.

import Dispatch
import Foundation
import Programs
@_spi(Benchmarks) import SleeplessSimulation

/// The medians of some measurements of the process's processor time, which take turns. It covers the whole
/// process because the driver moves from thread to thread. Other processes hardly affect it.
@available(macOS 15, *)
func rates(_ measures: [() async -> Int], rounds: Int = 9) async -> [Int] {
  var rates = measures.map { _ in [Double]() }
  for _ in 0..<rounds {
    for (index, measure) in measures.enumerated() {
      let start = clock()
      let count = await measure()
      rates[index].append(Double(count) / (Double(clock() - start) / Double(CLOCKS_PER_SEC)))
    }
  }
  return rates.map { Int($0.sorted()[$0.count / 2]) }
}

@available(macOS 15, *)
func jobs() async -> Int {
  let outcome = await Simulation.run(Simulation.Options(stepLimit: .max)) {
    await yieldAndHop(times: 50_000)
  }
  precondition(try! outcome.result!.get() == 50_000)
  return outcome.report.steps
}

/// Counts blocks, each of which gives the next one to a serial queue.
@available(macOS 15, *)
func blocks() async -> Int {
  let queue = DispatchQueue(label: "simulated")
  let count = 20_000
  let outcome = await Simulation.run(Simulation.Options(stepLimit: .max)) {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func next(after number: Int) {
        guard number < count else { return done.resume() }
        queue.async { next(after: number + 1) }
      }
      next(after: 0)
    }
  }
  precondition(outcome.report.steps >= count)
  return count
}

/// Counts the days in which a timer of Dispatch fires every ten seconds.
@available(macOS 15, *)
func daysOfTimer() async -> Int {
  let outcome = await Simulation.run(Simulation.Options(stepLimit: .max)) { () -> Int in
    let queue = DispatchQueue(label: "timer")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    nonisolated(unsafe) var count = 0
    timer.schedule(deadline: .now() + 10, repeating: 10)
    timer.setEventHandler { count += 1 }
    timer.activate()
    try await Task.sleep(for: .seconds(86_405))
    timer.cancel()
    return queue.sync { count }
  }
  precondition(try! outcome.result!.get() == 8_640)
  return 1
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

/// Counts schedules of a group of 1,600 tasks, which all use one actor. The default strategies
/// choose them.
@available(macOS 15, *)
func groups() async -> Int {
  let schedules = 60
  let failing = await Simulation.firstFailure(schedules: schedules, strategy: .portfolio, seed: 1) {
    let sum = await addInGroup(tasks: 1_600)
    precondition(sum == 1_600)
  }
  precondition(failing == nil)
  return schedules
}

@available(macOS 15, *)
nonisolated func measureAll() async {
  let steps = await Simulation.run(Simulation.Options(), shareTwoActors).report.steps
  let figures = await rates([jobs, schedules, singleSchedules, blocks, daysOfTimer])
  let ofGroups = await rates([groups], rounds: 3)[0]
  print("jobs\t\(figures[0])")
  print("schedules of \(steps) jobs\t\(figures[1])")
  print("schedules of \(steps) jobs, one call each\t\(figures[2])")
  print("schedules of a group of 1,600 tasks\t\(ofGroups)")
  print("blocks on a queue\t\(figures[3])")
  print("days of a ten-second timer\t\(figures[4])")
}

if #available(macOS 15, *) { await measureAll() }
