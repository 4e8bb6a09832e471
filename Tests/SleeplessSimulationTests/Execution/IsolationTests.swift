// virtual time: everything here runs in simulations
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

/// Code in a simulation runs where it is isolated, and nowhere else.
@Suite(.wholeProcess) struct IsolationTests {
  @MainActor @Test func `a body that is isolated to the main actor stays there`() async throws {
    let outcome = await Simulation.run {
      MainActor.assertIsolated()
      #expect(assumeMain())
      try await Task.sleep(for: .seconds(1))
      MainActor.assertIsolated()
      await elsewhere()
      MainActor.assertIsolated()
      await Task { MainActor.preconditionIsolated() }.value
      await Task.immediate { MainActor.preconditionIsolated() }.value
      async let child: Void = visitMain()
      _ = await child
      #expect(isOnMainQueue())
    }
    try outcome.result?.get()
    MainActor.assertIsolated()
    #expect("\(outcome.report.ending)" == "finished")
  }

  @Test func `a body that is isolated to an actor stays there`() async throws {
    try await Home().test()
  }

  private nonisolated func assumeMain() -> Bool { MainActor.assumeIsolated { isOnMainQueue() } }

  private actor Home {
    nonisolated func assume() -> Bool { assumeIsolated { _ in isOnMainQueue() } }

    func test() async throws {
      let outcome = await Simulation.run { [self] in
        assertIsolated()
        #expect(!assume())
        try await Task.sleep(for: .seconds(1))
        preconditionIsolated()
        await elsewhere()
        await MainActor.run { MainActor.assertIsolated() }
        preconditionIsolated()
        await Task { self.preconditionIsolated() }.value
      }
      try outcome.result?.get()
      assertIsolated()
      #expect("\(outcome.report.ending)" == "finished")
    }
  }

  @Test func `a body without isolation does not run on the main actor, even after other code has`()
    async throws
  {
    let outcome = await Simulation.run {
      #expect(!isOnMainQueue())
      for _ in 0..<10 {
        await MainActor.run {
          MainActor.assertIsolated()
          #expect(isOnMainQueue())
        }
        #expect(!isOnMainQueue())
        await Store.shared.checkIsolation()
        #expect(!isOnMainQueue())
      }
      await withTaskGroup { group in
        for _ in 0..<5 {
          group.addTask { await visitMain() }
          group.addTask { #expect(!isOnMainQueue()) }
          group.addTask { await Store.shared.checkIsolation() }
        }
      }
    }
    try outcome.result?.get()
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `isolation holds in any order`(seed: UInt64) async throws {
    let outcome = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
      let actors = [Hopper(), Hopper(), Hopper()]
      await withTaskGroup { group in
        for number in 0..<12 {
          group.addTask { await actors[number % 3].hop(to: actors[(number + 1) % 3]) }
          group.addTask { await restOnMain(with: actors[number % 3]) }
        }
      }
    }
    try outcome.result?.get()
    #expect("\(outcome.report.ending)" == "finished")
  }

  @MainActor private func restOnMain(with other: Hopper) async {
    MainActor.assertIsolated()
    await other.rest()
    MainActor.assertIsolated()
  }

  private actor Hopper {
    func hop(to other: Hopper) async {
      assertIsolated()
      #expect(!isOnMainQueue())
      await other.rest()
      assertIsolated()
      await MainActor.run { MainActor.assertIsolated() }
      assertIsolated()
    }

    func rest() async {
      assertIsolated()
      try? await Task.sleep(for: .milliseconds(1))
      assertIsolated()
    }
  }

  // One after another, because they use one actor.
  @Test(.needs(.blockingCalls), .needs(.runLoops))
  func `an object that is released on the main actor ends in its own actor`() async {
    let log = Log<String>()
    _ = await Simulation.run {
      await MainActor.run { release(Leaver(log)) }
      await Simulation.current!.settle()
      log.append("a job")
    }
    _ = await Simulation.run {
      await MainActor.run {
        release(Leaver(log))
        Thread.sleep(forTimeInterval: 1)
        log.append("a job that blocks its thread")
      }
    }
    _ = await Simulation.run {
      Task { @MainActor in
        Task { @MainActor in release(Leaver(log)) }
        runMainRunLoop()
        log.append("a run of the run loop")
      }
      await Simulation.current!.settle()
    }
    #expect(
      log.values == [
        "elsewhere", "a job", "elsewhere", "a job that blocks its thread", "elsewhere",
        "a run of the run loop",
      ])
  }

  @MainActor private func runMainRunLoop() {
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 1))
  }

  @globalActor private actor Archive {
    static let shared = Archive()
  }

  /// Notes where it ends. The runtime enqueues an isolated deinitializer in the actor, past the hooks.
  @Archive private final class Leaver {
    private let log: Log<String>

    nonisolated init(_ log: Log<String>) { self.log = log }

    isolated deinit { log.append(isOnMainQueue() ? "on the main queue" : "elsewhere") }
  }

  /// Is the last to use an object.
  private func release(_ object: consuming Leaver) {}

  @globalActor private actor Store {
    static let shared = Store()

    func checkIsolation() {
      assertIsolated()
      #expect(!isOnMainQueue())
    }
  }
}

@MainActor private func visitMain() {
  MainActor.assertIsolated()
  #expect(isOnMainQueue())
}

/// Runs outside its caller's actor.
@concurrent private func elsewhere() async {
  #expect(!isOnMainQueue())
}
