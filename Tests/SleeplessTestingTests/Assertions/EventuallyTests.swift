// virtual time: all sleeps here are in simulations, unless they are marked as real time
import Dispatch
import Foundation
import Observation
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

@Suite struct EventuallyTests {
  @Test func `W1 a condition that is true already passes at once`() async {
    let evaluations = Count()
    await eventually { evaluations.next() == 1 }
    #expect(evaluations.value == 1)
  }

  @Test func `W1 a recorder's event wakes it`() async throws {
    let numbers = Recorder<Int, Never>(allowsUnread: true)
    let evaluations = Count()
    let sender = Task.detached {
      // The first evaluation is over.
      await evaluations.reach(1)
      numbers.record(7)
    }
    await eventually { evaluations.next() > 0 && numbers.all().contains(7) }
    await sender.value
  }

  @Test @MainActor func `W1 a change of an observable object wakes it`() async {
    let model = Model()
    Task { model.count = 3 }
    await eventually { model.count == 3 }
    #expect(model.count == 3)
  }

  @Test func `W1 a task of the test that has run wakes it`() async {
    let flag = Flag()
    Task { await Self.hop { flag.raise() } }
    await eventually { flag.isRaised }
  }

  @Test func `W1 a change that no helper reports is noticed all the same`() async {
    let flag = Flag()
    Thread.detachNewThread { flag.raise() }
    await eventually { flag.isRaised }
  }

  @Test func `an asynchronous condition may ask an actor`() async {
    let counter = Tally()
    Task { for _ in 0..<5 { await counter.increment() } }
    await eventually { await counter.value == 5 }
  }

  @Test func `a value is returned unwrapped`() async throws {
    let box = Locked<String?>(nil)
    Task { box.withLock { $0 = "Ada" } }
    let name = try await eventually { box.withLock { $0 } }
    #expect(name == "Ada")
    let counter = Tally()
    let count = try await eventually { await counter.value == 0 ? 0 : nil }
    #expect(count == 0)
  }

  @Test func `an error means not yet`() async {
    let evaluations = Count()
    await eventually {
      if evaluations.next() < 3 { throw Trouble.offline }
      return true
    }
    #expect(evaluations.value == 3)
  }

  @Test func `W2 a condition is evaluated once more after the timeout`() async {
    let evaluations = Count()
    let isOver = Flag()
    // False at each evaluation before the timeout is over; no notification comes.
    let start = ContinuousClock.now
    await HangTimeout.$shortened.withValue(.milliseconds(300)) {
      await eventually {
        _ = evaluations.next()
        if ContinuousClock.now - start >= .milliseconds(300) { isOver.raise() }
        return isOver.isRaised
      }
    }
    #expect(isOver.isRaised)
    #expect(evaluations.value >= 2)
  }

  @Test func `W2 a last evaluation that never returns is given up as well`() async {
    let isOver = Flag()
    let line = #line + 4
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        await ConditionWaiter.$observer.withValue(.init(timeoutIsOver: { isOver.raise() })) {
          await eventually {
            if isOver.isRaised { await Self.hang() }
            return false
          }
        }
      }
    }
    #expect(failures.map(\.line) == [line])
    #expect(
      failures.first?.text.firstLine.replacing(#/number \d+/#, with: "number *")
        == """
        eventually expected its condition to become true, but evaluation number * has not returned.
        """)
  }

  @Test @MainActor func `the condition runs in the caller's isolation`() async {
    await eventually {
      MainActor.assertIsolated()
      return true
    }
    await eventually {
      MainActor.assertIsolated()
      return await Tally().value == 0
    }
  }

  @MainActor private static func hop(_ body: @Sendable () -> Void) { body() }

  private static func hang() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }
}

@Suite(.simulated) struct SimulatedEventuallyTests {

  @Test(.needs(.capture)) func `time goes on until the condition is true`() async throws {
    let model = Tally()
    Task {
      try await Task.sleep(for: .seconds(3600))
      await model.increment()
    }
    await eventually { await model.value == 1 }
    #expect(Simulation.current?.now == .seconds(3600))
  }

  @Test(.needs(.capture)) func `no step is missed`() async {
    let number = Locked(0)
    Task {
      for _ in 0..<10 {
        number.withLock { $0 += 1 }
        await Task.yield()
      }
    }
    await eventually { number.withLock { $0 } == 5 }
    #expect(number.withLock { $0 } == 5)
  }

  @Test(.standingStill) func `W3 it fails the moment nothing can change any more`() async {
    let failures = await failures {
      await eventually { false }
      await eventually(within: .seconds(10)) { false }
    }
    #expect(failures.count == 2)
    #expect(Simulation.current?.now == .zero)
  }

  @Test(.standingStill) func `two waits do not wake each other`() async {
    let failures = await failures {
      let other = Task { await eventually { false } }
      await eventually { false }
      await other.value
    }
    #expect(failures.count == 2)
  }

  @Test(.needs(.capture)) func `W1 work that is due at the limit still counts`() async throws {
    let flag = Flag()
    Task {
      try await Task.sleep(for: .seconds(5))
      flag.raise()
    }
    await eventually(within: .seconds(5)) { flag.isRaised }
    #expect(Simulation.current?.now == .seconds(5))
  }

  @Test(.needs(.capture)) func `the limit is virtual time`() async throws {
    let work = Task { while true { try await Task.sleep(for: .seconds(1)) } }
    let failures = await failures { await eventually(within: .seconds(10)) { false } }
    #expect(failures.count == 1)
    #expect(Simulation.current?.now == .seconds(10))
    work.cancel()
  }

  @Test(.needs(.capture)) func `always and never cost no real time`() async throws {
    let flag = Flag()
    Task {
      try await Task.sleep(for: .seconds(61))
      flag.raise()
    }
    await never(during: .seconds(60)) { flag.isRaised }
    #expect(Simulation.current?.now == .seconds(60))
    await always(during: .seconds(86_400), within: .seconds(10)) { flag.isRaised }
    #expect(Simulation.current?.now == .seconds(61 + 86_400))
  }

  @Test(.needs(.capture)) func `always sees a break however short`() async {
    let number = Locked(0)
    Task {
      number.withLock { $0 = 1 }
      await Task.yield()
      number.withLock { $0 = 0 }
    }
    let failures = await failures {
      await always(during: .seconds(1)) { number.withLock { $0 } == 0 }
    }
    #expect(failures.count == 1)
  }

  @Test func `cancelling the waiting task ends the wait`() async {
    let failures = await failures {
      let waiting = Task { await eventually { false } }
      await Task.yield()
      waiting.cancel()
      await waiting.value
    }
    #expect(failures.map(\.text.firstLine).first?.contains("cancelled") == true)
  }
}

@Suite(.simulated(time: .manual)) struct ManualTimeTests {

  @Test(.needs(.capture)) func `always moves time as an advance does`() async throws {
    let flag = Flag()
    Task {
      try await Task.sleep(for: .seconds(5))
      flag.raise()
    }
    await never(during: .seconds(4)) { flag.isRaised }
    #expect(Simulation.current?.now == .seconds(4))
    await Simulation.advance(by: .seconds(1))
    await eventually { flag.isRaised }
  }
}

@Suite struct ConditionEvaluatorTests {
  private func steps(_ evaluator: ConditionEvaluator, _ history: [(Bool, Int)])
    -> [ConditionEvaluator.Step]
  {
    var evaluator = evaluator
    return history.map { evaluator.noteEvaluation($0.0, at: .seconds($0.1)) }
  }

  @Test func `becoming true passes, unless it is too early`() {
    #expect(
      steps(ConditionEvaluator(.becoming), [(false, 0), (true, 1)]) == [
        .evaluateAgain(by: nil), .passed,
      ])
    #expect(
      steps(ConditionEvaluator(.becoming, notBefore: .seconds(2)), [(true, 1)]) == [.tooEarly])
    #expect(steps(ConditionEvaluator(.becoming, notBefore: .seconds(2)), [(true, 2)]) == [.passed])
  }

  @Test func `holding takes its time, and a break ends it`() {
    let evaluator = ConditionEvaluator(.holding(.seconds(3)))
    #expect(
      steps(evaluator, [(true, 0), (true, 1), (true, 3)])
        == [.evaluateAgain(by: .seconds(3)), .evaluateAgain(by: .seconds(3)), .passed])
    #expect(
      steps(evaluator, [(true, 0), (false, 1)]) == [.evaluateAgain(by: .seconds(3)), .doesNotHold])
    #expect(steps(evaluator, [(false, 0)]) == [.doesNotHold])
  }

  @Test func `holding may begin until the limit, and begin anew`() {
    let evaluator = ConditionEvaluator(
      .holding(.seconds(3)), notBefore: .seconds(1), within: .seconds(5))
    #expect(
      steps(evaluator, [(false, 0), (true, 2), (false, 3), (true, 4), (true, 7)])
        == [
          .evaluateAgain(by: .seconds(5)), .evaluateAgain(by: .seconds(5)),
          .evaluateAgain(by: .seconds(5)),
          .evaluateAgain(by: .seconds(7)), .passed,
        ])
    #expect(steps(evaluator, [(true, 0)]) == [.tooEarly])
    #expect(
      steps(evaluator, [(false, 0), (false, 5)]) == [.evaluateAgain(by: .seconds(5)), .doesNotHold])
  }
}

// MARK: The state that the conditions read

@MainActor @Observable private final class Model { var count = 0 }

private actor Tally {
  var value = 0
  func increment() { value += 1 }
}

/// A counter; a task can wait for a count.
private final class Count: Sendable {
  private let state = Locked<(value: Int, waiter: CheckedContinuation<Void, Never>?)>((0, nil))

  var value: Int { state.withLock { $0.value } }

  func next() -> Int {
    let (value, waiter) = state.withLock { state in
      state.value += 1
      return (state.value, state.waiter.take())
    }
    waiter?.resume()
    return value
  }

  func reach(_ value: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.value < value { state.waiter = continuation }
        return state.value >= value
      }
      if isReached { continuation.resume() }
    }
  }
}

private final class Flag: Sendable {
  private let state = Locked(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}

@Suite struct OutsideWorkTests {
  @Test func `W1 what a queue brings long after all tasks have come to rest is waited for`() async {
    let flag = Flag()
    // real time: a queue is outside of everything that the library follows; a fifth of the timeout
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { flag.raise() }
    await HangTimeout.$shortened.withValue(.seconds(1)) { await eventually { flag.isRaised } }
  }
}

@Suite struct RealTimeWarningTests {
  private func failures(of duration: Duration) async -> [Failure] {
    await SleeplessTestingTests.failures {
      // A tenth of the timeout stands for the second that may pass without a warning.
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        await never("shown", during: duration) { false }
      }
    }
  }

  @Test func `a long duration outside a simulation is a warning`() async {
    let line = #line - 6
    // real time: the duration is one of real time
    let failures = await failures(of: .milliseconds(5))
    #expect(
      failures == [
        Failure(FailureText.aRealDuration, line: line)
      ])
  }

  @Test func `a short duration and one in a simulation are none`() async {
    #expect(await failures(of: .milliseconds(1)) == [])
    let simulated = await self.simulated()
    #expect(simulated == [])
  }

  private func simulated() async -> [Failure] {
    await SleeplessTestingTests.failures {
      try? await simulate { await never(during: .seconds(60)) { false } }
    }
  }
}
