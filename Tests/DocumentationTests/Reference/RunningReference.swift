// virtual time: everything here runs in simulations
import Foundation
import SleeplessTesting
import TestSupport
import Testing

/// The examples on the pages of simulations as values, for authors of tools.
@Suite(.needs(.capture)) struct RunningReference {
  @Test func `code runs in a simulation and returns its value`() async throws {
    let outcome = await Simulation.run {
      try await Task.sleep(for: .seconds(60))
      return 42
    }
    #expect(try outcome.result?.get() == 42)
    #expect(outcome.report.elapsed == .seconds(60))  // of virtual time
  }

  @Test func `the current simulation and its time`() async {
    #expect(Simulation.current == nil)
    _ = await Simulation.run {
      try await Task.sleep(for: .seconds(60))
      #expect(Simulation.current?.now == .seconds(60))
    }
  }

  @Test func `options of a simulation`() async {
    let options = Simulation.Options(order: .shuffled(seed: 7), timeLimit: .seconds(86_400))
    let outcome = await Simulation.run(options) { try await Task.sleep(for: .seconds(60)) }
    #expect(outcome.report.elapsed == .seconds(60))
  }

  @Test func `time moves in a simulation`() async {
    let outcome = await Simulation.run {
      Task { try await Task.sleep(for: .seconds(2)) }
      await Simulation.current?.advance(by: .seconds(2))
    }
    #expect(outcome.report.elapsed == .seconds(2))
    #expect(outcome.report.unfinishedTasks.isEmpty)  // what is due at the target has happened
  }

  @Test func `a simulation comes to rest`() async {
    let outcome = await Simulation.run {
      Task { try await Task.sleep(for: .seconds(2)) }
      await Simulation.current?.settle()
    }
    #expect(outcome.report.elapsed == .seconds(2))
    #expect(outcome.report.unfinishedTasks.isEmpty)
  }

  @Test func `a task in the background may go on`() async {
    let pulse = Pulse()
    let outcome = await Simulation.run {
      await Simulation.current?.background { await pulse.start() }  // it starts a task
    }
    #expect(outcome.report.unfinishedTasks.isEmpty)  // it is not counted
  }

  @Test func `a synchronous function starts a task in the background`() async {
    func startPoller() {
      Simulation.current?.background {
        _ = Task { while true { try await Task.sleep(for: .seconds(60)) } }
      }
    }
    let outcome = await Simulation.run { startPoller() }
    #expect(outcome.report.unfinishedTasks.isEmpty)  // it is not counted
  }

  @Test func `a file is read outside`() async throws {
    let outcome = await Simulation.run {
      try await Simulation.current?.outside { FileManager.default.currentDirectoryPath }
    }
    #expect(try outcome.result?.get()?.isEmpty == false)
    #expect(outcome.report.elapsed == .zero)  // virtual time stands still meanwhile
  }

  @Test func `a task that is left says where it waits`() async {
    let outcome = await Simulation.run {
      Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
    }
    for task in outcome.report.unfinishedTasks {
      print(task.state)  // sleeping(until: 60.0 seconds)
      print(task.functions)  // such as ["closure at Poller.swift:12"]
    }
    let poller = outcome.report.unfinishedTasks.first
    #expect(poller.map { "\($0.state)" } == "sleeping(until: 60.0 seconds)")
    #expect(poller?.functions.first?.hasPrefix("closure at RunningReference.swift:") == true)
  }
}

private actor Pulse {
  func start() { Task { while true { try await Task.sleep(for: .seconds(60)) } } }
}
