// virtual time: all tasks are in simulations
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Tasks that the initializer of a global or static variable creates, at the variable's first use.
@Suite(.wholeProcess) struct GlobalVariableTests {
  @Test func `a task is reported with the variable whose initializer has created it`() async {
    let outcome = await Simulation.run {
      _ = Bus.shared
      use(mailbox)
      _ = Outer.bus
      Task { await never() }
    }
    #expect(
      outcome.report.unfinishedTasks.map { $0.globalVariable } == [
        "Bus.shared", "mailbox", "Bus.second", "Outer.bus", nil,
      ])
  }

  @Test func `the tasks of such a task are not the variable's`() async {
    let outcome = await Simulation.run {
      use(family)
      await Task.yield()
    }
    #expect(outcome.report.unfinishedTasks.map { $0.globalVariable } == ["family", nil])
  }
}

private final class Bus: Sendable {
  static let shared = Bus()
  static let second = Bus()

  init() { consume() }

  private func consume() { Task { await never() } }
}

private enum Outer {
  /// Its initializer begins another one, and then creates a task.
  static let bus = {
    _ = Bus.second
    return Bus()
  }()
}

private let mailbox = Task { await never() }

private let family = Task {
  Task { await never() }
  await never()
}

private func use(_ task: Task<Void, Never>) {}

private func never() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}
