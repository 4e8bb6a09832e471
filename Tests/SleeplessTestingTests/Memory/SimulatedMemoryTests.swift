import Dispatch
import Foundation
import SleeplessSimulation
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

/// In a simulation a memory check that has to wait reports its finding, and is no deadlock.
@Suite struct SimulatedMemoryTests {
  @Test(.needs(.memorySearch))
  func `an object that a static variable holds is named at the check's line`() async {
    let failures = await failuresInSimulation {
      await expectDeallocated {
        let engine = Engine()
        Depot.first.withLock { $0 = engine }
        return engine
      }
    }
    #expect(failures.map(\.line) == [#line - 6])
    #expect(
      failures.map(\.text) == [
        """
        Engine was not deallocated: a static property or a global variable holds it.
          Depot.first -> Locked<Optional<Engine>> -> Engine
        Remove it there when its work is done. If it should live as long as the program, do not \
        watch it.
        """
      ])
  }

  @Test(.needs(.capture), .needs(.memorySearch))
  func `an object tracked to the end of the test is named at its line`() async {
    let failures = await failuresInSimulation {
      _ = trackMemory(of: Depot.keep(Engine()))
    }
    #expect(failures.map(\.line) == [#line - 2])
    #expect(failures.map(\.text.firstLine) == [held])
  }

  @Test(.needs(.memorySearch))
  func `an object of a cycle that a weak reference could break is named at its line`() async {
    let failures = await failuresInSimulation {
      let log = Log<@Sendable () -> Void>()
      await expectDeallocated {
        let engine = Engine()
        engine.next = engine
        weak let weakEngine = engine
        log.append { weakEngine?.next = nil }
        return engine
      }
      for letGo in log.values { letGo() }
    }
    #expect(failures.map(\.line) == [#line - 9])
    #expect(
      failures.map(\.text.firstLine) == ["Engine was not deallocated: it keeps itself alive."])
  }

  @Test(.needs(.objectBirths)) func `growth is reported as growth`() async {
    let failures = await failuresInSimulation {
      let kept = Log<Engine>()
      await assertNoGrowth { kept.append(Engine()) }
      _ = kept.values
    }
    #expect(failures.map(\.line) == [#line - 3])
    #expect(
      failures.map(\.text.firstLine)
        == ["Objects of 1 type stayed behind in each of 4 rounds:"])
  }

  @Test(.needs(.capture), .needs(.objectBirths), .needs(.memorySearch))
  func `growth in every second round is seen among objects that tasks release later`() async {
    let line = #line + 3
    let failures = await failuresInSimulation {
      let isRepeated = Locked(false)
      await assertNoGrowth {
        let engine = Engine()
        Task {
          try await Task.sleep(for: .seconds(60))  // real time: none, it is simulated
          withExtendedLifetime(engine) {}
        }
        let isLeft = isRepeated.withLock { isRepeated in
          isRepeated.toggle()
          return !isRepeated
        }
        if isLeft { engine.next = engine }
      }
    }
    #expect(
      failures == [
        Failure(
          """
          Objects of 1 type stayed behind in at least every second of 8 rounds:
            Engine: +1, +0, +1, +0, +1, +0, +1, +0
          About the last Engine:
          Engine was not deallocated: it keeps itself alive.
            Engine.next -> Engine
          Make one of these references weak or unowned, or release it when its work is done: set it \
          to nil, remove the observer, cancel the timer or the subscription.
          A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) \
          with more rounds than the cache has places.
          """, line: line)
      ])
  }

  @Test(.needs(.capture), .needs(.objectBirths))
  func `objects that tasks release later do not grow, and cost no rounds`() async {
    let ranRounds = Locked(0)
    let failures = await failuresInSimulation {
      await assertNoGrowth {
        ranRounds.withLock { $0 += 1 }
        let engine = Engine()
        Task {
          try await Task.sleep(for: .seconds(60))  // real time: none, it is simulated
          withExtendedLifetime(engine) {}
        }
      }
    }
    #expect(failures == [])
    #expect(ranRounds.withLock { $0 } == 5)
  }

  @Test func `the memory checks work under every schedule`() async {
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        _ = try? await explore(schedules: 3) {
          await expectDeallocated { Depot.keep(Engine()) }
        }
      }
    }
    let first = Need.memorySearch.isMet ? held : Leak.unsearched("Engine").firstLine
    #expect(failures.first?.text.firstLine == first)
    #expect(
      failures.contains { $0.text.firstLine.hasPrefix("Schedule 1 of 3 fails: a failure at") })
  }

  @Test(.needs(.memorySearch))
  func `an object that its own work item holds is named at the check's line`() async {
    let failures = await failuresInSimulation {
      await expectDeallocated {
        let engine = Engine()
        engine.stop = DispatchWorkItem { engine.next = nil }
        return engine
      }
    }
    #expect(failures.map(\.line) == [#line - 6])
    #expect(failures.allSatisfy { $0.text.hasPrefix("Engine was not deallocated: ") })
  }

  @Test func `in an exploration an object that a queue releases later is no failure`() async {
    let failures = await failures {
      _ = try? await explore(schedules: 1) {
        await expectDeallocated {
          let engine = Engine()
          // real time: longer than the half second, on a busy machine too, after which an exploration gives up
          outsideSimulations {
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { _ = engine }
          }
          return engine
        }
      }
    }
    #expect(failures == [])
  }

  @Test func `an object that a queue or a timer releases later is no failure`() async {
    let failures = await failuresInSimulation(timeout: HangTimeout.interval) {
      await expectDeallocated {
        let engine = Engine()
        // real time: long after the time that would count as a deadlock
        outsideSimulations {
          DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { _ = engine }
        }
        return engine
      }
      // Where it is real, it would take ten minutes.
      guard Need.runLoops.isMet else { return }
      await expectDeallocated {
        let engine = Engine()
        // On Linux Foundation keeps the closure of a timer that was invalidated.
        nonisolated(unsafe) var held: Engine? = engine
        nonisolated(unsafe) var left = 600
        let timer = Timer(timeInterval: 1, repeats: true) { timer in
          left -= 1
          guard left == 0 else { return }
          withExtendedLifetime(held) { held = nil }
          timer.invalidate()
        }
        RunLoop.main.add(timer, forMode: .default)
        return engine
      }
    }
    #expect(failures == [])
  }

  private let held =
    "Engine was not deallocated: a static property or a global variable holds it."

  /// The failures of a test in a simulation that reports a deadlock after a very short time, while the
  /// helpers of the test have a timeout of their own.
  private func failuresInSimulation(
    timeout: Duration = .milliseconds(20), of body: @escaping @Sendable () async -> Void
  ) async -> [Failure] {
    await failures {
      var options = Simulation.Options()
      options.deadlockTimeout = .milliseconds(1)
      // A job searches the memory, and waits until other tests' searches have ended.
      options.timeout = .seconds(300)
      let outcome = await Simulation.run(options) {
        try await HangTimeout.$shortened.withValue(timeout) {
          try await EndOfTest.check(after: body)
        }
      }
      #expect("\(outcome.report.ending)" == "finished")
      #expect(outcome.report.externalResumptionCount == 0)
    }
  }
}

private final class Engine: @unchecked Sendable {
  // Unchecked because one task at a time uses it.
  var next: Engine?
  var stop: DispatchWorkItem?
}

/// Objects kept here are never released.
private enum Depot {
  static let first = Locked<Engine?>(nil)
  static let all = Log<Engine>()

  static func keep(_ engine: Engine) -> Engine {
    all.append(engine)
    return engine
  }
}
