// virtual time: everything here runs in simulations
import Dispatch
import SleeplessSimulation
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

@Suite(.simulated) struct SimulatedTraitTests {
  @Test(.needs(.capture)) func `a suite's trait holds for its tests`() async throws {
    try await Task.sleep(for: .seconds(3600))
    #expect(Simulation.current?.now == .seconds(3600))
  }

  @Test(.simulated(time: .manual)) func `a test's own trait counts`() async throws {
    Task { try await Task.sleep(for: .seconds(1)) }
    await settle()
    #expect(Simulation.current?.now == .zero)
    await Simulation.advance(by: .seconds(1))
  }

  @Test(.needs(.capture), arguments: 1...3) func `each case has a simulation of its own`(
    seconds: Int
  ) async throws {
    try await Task.sleep(for: .seconds(seconds))
    #expect(Simulation.current?.now == .seconds(seconds))
  }

  @Test func `task locals are those of the test`() { #expect(Test.current != nil) }
}

/// Whether a queue's block runs outside simulations.
@Sendable private func runsBlocksOutside() async -> Bool {
  await withCheckedContinuation { done in
    DispatchQueue.global().async { done.resume(returning: Simulation.current == nil) }
  }
}

@Suite(.needs(.queues)) struct DispatchOutsideTests {
  @Test(.simulated) func `blocks run in the simulation unless a test says otherwise`() async {
    #expect(await !runsBlocksOutside())
  }

  @Test(.simulated(dispatch: .outside)) func `a simulated test leaves Dispatch alone`() async {
    #expect(await runsBlocksOutside())
  }

  @Test(.explored(schedules: 3, dispatch: .outside, externalResumptions: .ignored))
  func `an explored test leaves Dispatch alone`() async {
    #expect(await runsBlocksOutside())
  }

  @Test func `simulate and explore leave Dispatch alone`() async throws {
    try await simulate(dispatch: .outside) { #expect(await runsBlocksOutside()) }
    try await explore(schedules: 3, dispatch: .outside, externalResumptions: .ignored) {
      #expect(await runsBlocksOutside())
    }
  }

  /// What a task waits for, for an hour at most.
  enum Awaited: CaseIterable {
    case semaphore, group
  }

  @Test(.needs(.clocks), .simulated(dispatch: .outside), arguments: Awaited.allCases)
  func `a timed wait takes virtual time, and may be over before the block has run`(
    awaited: Awaited
  ) async throws {
    let (queue, log) = (DispatchQueue(label: "com.example.outside"), TimedLog())
    let (semaphore, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    let (mayRun, hasRun, isOver) = (ThreadSignal(), Locked(false), Event())
    queue.async(group: group) {
      mayRun.wait()
      hasRun.withLock { $0 = true }
      semaphore.signal()
    }
    group.notify(queue: queue) { isOver.happen() }
    let wait = {
      let limit = DispatchTime.now() + 3600
      let result =
        switch awaited {
        case .semaphore: semaphore.wait(timeout: limit)
        case .group: group.wait(timeout: limit)
        }
      log.note("\(result), has run: \(hasRun.withLock { $0 }),")
    }
    wait()
    mayRun.send()
    try await Simulation.outside { await isOver.wait() }
    wait()
    #expect(
      log.values == [
        "timedOut, has run: false, at 3600.0 seconds", "success, has run: true, at 3600.0 seconds",
      ])
  }
}

/// The messages with `dispatch: .outside`.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct DispatchOutsideTextTests {
  @Test func `F3 a deadlock says that queues and timers are not simulated either`() async {
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(100)) {
        try? await simulate(dispatch: .outside) {
          // The block runs at once, on the real queue, and resumes nothing.
          DispatchQueue.global().async {}
          await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
      }
    }
    #expect(
      failures.map(\.withoutFunctions.text) == [
        """
        The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has not ended.
          the body: suspended since 0 s
        This is usually a continuation that is never resumed, a stream that is never finished, or tasks that wait for \
        each other.
        Queues, threads, timers and the network are not simulated; the simulation waits 100 ms for them. Inject a \
        scheduler there, or run the call in Simulation.outside { ... }.
        """
      ])
  }

  @Test func `F3 a resumption by a queue is told as one from outside`() async {
    let failures = await failures {
      try? await simulate(dispatch: .outside, externalResumptions: .failed) {
        let answer = Log<@Sendable () -> Void>()
        let request = Task(name: "request") { await fetch(answer) }
        try await Task.sleep(for: .seconds(10))
        let hasAnswered = ThreadSignal()
        DispatchQueue.global().async {
          answer.values[0]()
          hasAnswered.send()
        }
        hasAnswered.wait()
        await request.value
      }
    }
    #expect(
      failures.map(\.withoutFunctions.text) == [
        """
        Once a task was resumed from outside the simulation:
          task 1 "request": suspended from 0 s to 10 s
        The simulation does not control when that happens, so another run may differ, and virtual time did not wait \
        for it. This is usually a dispatch queue, a network call, a timer or a thread of the code's own. Inject a \
        scheduler or a double there, or run the call in Simulation.outside { ... }, which stops virtual time until it \
        returns.
        """
      ])
  }
}

@Suite struct SimulatedTraitFailureTests {
  @Test(.needs(.capture)) func `a deadlock of the body fails at the test's line and ends the test`()
    async throws
  {
    let test = try #require(Test.current)
    let failures = await failures {
      let trait: SimulatedTrait = .simulated
      try? await trait.simulate(
        { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }, for: test)
    }
    #expect(failures.map(\.line) == [test.sourceLocation.line])
    #expect(failures.first?.text.hasPrefix("The simulation is deadlocked at 0 s") == true)
  }

  @Test(.needs(.capture)) func `leftovers of a test that has failed are warnings`() async throws {
    let test = try #require(Test.current)
    let issues = Log<(severity: Issue.Severity, text: String)>()
    try? await withKnownIssue {
      let trait: SimulatedTrait = .simulated
      try await trait.simulate(
        {
          _ = Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
          Issue.record("the first failure")
        }, for: test)
    } matching: { issue in
      issues.append((issue.severity, issue.comments.map(\.rawValue).joined()))
      return true
    }
    #expect(issues.values.map(\.severity) == [.error, .warning])
    #expect(
      issues.values.last?.text.hasSuffix("The test had failed before; this may follow from it.")
        == true)
  }

  @Test(.needs(.capture)) func `a failed test names the tasks that were resumed from outside`()
    async throws
  {
    let test = try #require(Test.current)
    let issues = Log<(severity: Issue.Severity, text: String)>()
    try? await withKnownIssue {
      let trait: SimulatedTrait = .simulated
      try await trait.simulate(
        {
          try await answeredTooLate()
          Issue.record("timed out")
        }, for: test)
    } matching: { issue in
      issues.append((issue.severity, issue.comments.map(\.rawValue).joined()))
      return true
    }
    #expect(issues.values.map(\.severity) == [.error, .warning])
    let warning = Failure(issues.values.last?.text ?? "", line: 0)
    #expect(
      warning.withoutFunctions.text == """
        Once a task was resumed from outside the simulation:
          task 1 "request": suspended from 0 s to 10 s
        The simulation does not control when that happens, so another run may differ, and virtual time did \
        not wait for it. This is usually a network call or a thread of the code's own. Inject a double there, or \
        run the call in Simulation.outside { ... }, which stops virtual time until it returns.
        """)
  }

  @Test(.needs(.capture))
  func `simulate names them too, if its body throws or the test has failed`()
    async throws
  {
    let texts = await warnings(of: {
      try await simulate {
        try await answeredTooLate()
        throw Offline()
      }
    })
    #expect(
      texts.map { $0.prefix { $0 != "\n" } } == [
        "Once a task was resumed from outside the simulation:"
      ])
    let passing = await warnings(of: { try await simulate { try await answeredTooLate() } })
    #expect(passing.isEmpty)
  }

  @Test func `leftovers that a test allows are no failure`() async throws {
    try await simulate(allowing: .everything) {
      _ = Task { try await Task.sleep(for: .seconds(1)) }
      _ = Task { for await _ in AsyncStream(Int.self, { _ in }) {} }
      _ = Simulation.scheduler().schedule(after: .seconds(1)) {}
    }
  }

  @Test func `background tasks are not waited for`() async throws {
    try await simulate {
      await Simulation.background {
        _ = Task { while !Task.isCancelled { try await Task.sleep(for: .seconds(1)) } }
      }
      await settle()
      #expect(Simulation.current?.now == .zero)
    }
  }

  @Test func `code in Simulation.outside takes no virtual time`() async throws {
    try await simulate {
      _ = Task { try await Task.sleep(for: .seconds(1)) }
      let isInside = try await Simulation.outside { Simulation.current != nil }
      #expect(!isInside)
      #expect(Simulation.current?.now == .zero)
      await settle()
    }
  }
}

private struct Offline: Error {}

/// The warnings of a call that may throw.
private func warnings(of call: () async throws -> Void) async -> [String] {
  let texts = Log<String>()
  await withKnownIssue(isIntermittent: true) {
    try? await call()
  } matching: { issue in
    if issue.severity == .warning { texts.append(issue.comments.map(\.rawValue).joined()) }
    return true
  }
  return texts.values
}

/// Waits for a request that a queue answers when ten seconds of virtual time have passed.
private func answeredTooLate() async throws {
  let answer = Log<@Sendable () -> Void>()
  let request = Task(name: "request") { await fetch(answer) }
  try await Task.sleep(for: .seconds(10))
  let resume = answer.values[0]
  outsideSimulations { DispatchQueue.global().async { resume() } }
  await request.value
}

private func fetch(_ answer: Log<@Sendable () -> Void>) async {
  await withCheckedContinuation { done in answer.append { done.resume() } }
}
