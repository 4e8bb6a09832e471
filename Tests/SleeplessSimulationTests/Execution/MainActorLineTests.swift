// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// The main actor serves first come, first served, also where the order of jobs is chosen.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct MainActorLineTests {
  /// The first seeds of shuffled orders, after the plain order.
  private static let orders: [Simulation.Options.Order] =
    [.firstCome] + (1...20).map { .shuffled(seed: $0) }

  @Test @available(macOS 15, *)
  func `S8 a job that yields on the main actor goes to the end of the line, in each schedule`()
    async
  {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<String>()
      Task {}
      Task { @MainActor in log.append("1") }
      Task { @MainActor in
        log.append("2")
        await Task.yield()
        log.append("2, again")
      }
      Task { @MainActor in log.append("3") }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    #expect(result.distinct > 1)
    #expect(Set(orders) == [["1", "2", "3", "2, again"]])
  }

  @Test @available(macOS 15, *)
  func `S8 two tasks that yield on the main actor come back in both orders`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<Int>()
      for number in 1...2 {
        Task { @MainActor in
          log.append(number)
          await Task.yield()
          log.append(number)
        }
      }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    // `Task.yield()` leaves the main actor, and the task comes back in a step of its own.
    #expect(Set(orders) == [[1, 2, 1, 2], [1, 2, 2, 1]])
  }

  @Test @available(macOS 15, *)
  func `S8 a task that a step resumes on the main actor comes back behind those in line`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<Int>()
      let resumed = Log<CheckedContinuation<Void, Never>>()
      Task { @MainActor in
        await withCheckedContinuation { resumed.append($0) }
        log.append(1)
      }
      await Simulation.current!.settle()
      Task { @MainActor in log.append(2) }
      resumed.values[0].resume()
      Task { @MainActor in log.append(3) }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    // The task goes to the main actor in a step of its own.
    #expect(Set(orders) == [[2, 3, 1]])
  }

  @Test(arguments: orders)
  func `S5 a job that code outside resumes is behind those in line`(
    order: Simulation.Options.Order
  ) async {
    let log = Log<Int>()
    let outcome = await Simulation.run(Simulation.Options(order: order)) {
      let resumed = Log<CheckedContinuation<Void, Never>>()
      Task(name: "resumed") { @MainActor in
        await withCheckedContinuation { resumed.append($0) }
        log.append(1)
      }
      await Simulation.current!.settle()
      for number in 2...3 { Task { @MainActor in log.append(number) } }
      let hasResumed = ThreadSignal()
      Thread.detachNewThread {
        resumed.values[0].resume()
        hasResumed.send()
      }
      // A wait in real time. The task goes to the main actor in a step of its own, after this one.
      hasResumed.wait()
      Task { @MainActor in log.append(4) }
      await Simulation.current!.settle()
    }
    #expect(log.values == [2, 3, 4, 1])
    #expect(outcome.report.ending.name == "finished")
    #expect(
      outcome.report.externalResumptions.map(\.task.text)
        == ["1 \"resumed\" suspended since 0.0 seconds"])
  }

  @Test(arguments: orders)
  func `jobs in line run in their order when the limit of steps ends the simulation`(
    order: Simulation.Options.Order
  ) async {
    let log = Log<String>()
    var options = Simulation.Options(order: order)
    options.stepLimit = 1
    let outcome = await Simulation.run(options) {
      for number in 1...3 {
        Task { @MainActor in log.append("\(number)\(Task.isCancelled ? " cancelled" : "")") }
      }
      await Simulation.current!.settle()
    }
    #expect(outcome.report.ending.name == "tooManySteps")
    #expect(outcome.report.unfinishedTasks.map(\.text) == ready(1...3))
    #expect(log.values == ["1 cancelled", "2 cancelled", "3 cancelled"])
    #expect(outcome.report.tasksIgnoringCancellation.map(\.text) == [])
  }

  @Test(arguments: orders) func `jobs in line run before a body that has ended is over`(
    order: Simulation.Options.Order
  ) async {
    let log = Log<Int>()
    let outcome = await Simulation.run(Simulation.Options(order: order)) {
      for number in 1...3 { Task { @MainActor in log.append(number) } }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.unfinishedTasks.map(\.text) == [])
    #expect(log.values == [1, 2, 3])
  }

  // In a process of its own, where no other test needs the main actor.
  @Test(.oneProcess) func `jobs in line go to the real main actor in their order`() async {
    await #expect(processExitsWith: .success) {
      for order in MainActorLineTests.orders {
        let log = Log<String>()
        let (mayGoOn, hasEnded) = (ThreadSignal(), Latch())
        var options = Simulation.Options(order: order)
        options.timeout = .milliseconds(100)
        let outcome = await Simulation.run(options) {
          Task { @MainActor in mayGoOn.wait() }
          for number in 1...3 {
            Task { @MainActor in
              log.append("\(number) \(Simulation.current == nil ? "outside" : "inside")")
              if number == 3 { hasEnded.open() }
            }
          }
          await Simulation.current!.settle()
        }
        #expect(outcome.report.ending.name == "threadBlocked")
        #expect(outcome.report.unfinishedTasks.map(\.text).suffix(3) == ready(2...4)[...])
        #expect(log.values == [])
        mayGoOn.send()
        await hasEnded.wait()
        #expect(log.values == ["1 outside", "2 outside", "3 outside"], "\(order)")
      }
    }
  }
}

/// Tasks without names that can run.
private func ready(_ numbers: ClosedRange<Int>) -> [String] {
  numbers.map { "\($0) ready since 0.0 seconds" }
}
