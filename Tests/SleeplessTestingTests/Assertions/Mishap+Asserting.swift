// virtual time: what sleeps here does so in simulations, unless it says otherwise
import Dispatch
import Foundation
import SleeplessTesting

// What a user reads when an assertion that waits fails.

extension Mishap {
  static var asserting: [Mishap] { becomingTrue + holding + operating }

  static let becomingTrue: [Mishap] = [
    Mishap(
      "never true in a simulation", at: #line + 8,
      reads: """
        eventually "the list is shown" expected its condition to become true, but it stayed false: nothing can run in the simulation any more, and nothing is due.
        So far (now: 0 s, evaluated 2 times):
          1  0 s  false ×2
        What would change that waits for something that never happens.
        """
    ) {
      try? await simulate { await eventually("the list is shown") { false } }
    },
    Mishap(
      "never true within a virtual time", at: #line + 10,
      reads: """
        eventually expected its condition to become true, but it stayed false: 10 s of virtual time went by.
        So far (now: 10 s, asked: 10 s, evaluated 23 times):
          1  0 s  false ×23
        Has what would change that been started, and is it what the condition looks at?
        """
    ) {
      await simulated {
        let ticking = Task { while !Task.isCancelled { try await Task.sleep(for: .seconds(4)) } }
        await eventually(within: .seconds(10)) { false }
        ticking.cancel()
      }
    },
    Mishap(
      "never true in a simulation whose time is manual", at: #line + 10,
      reads: """
        eventually expected its condition to become true, but it stayed false: nothing can run in the simulation any more, and nothing is due.
        So far (now: 0 s, evaluated 3 times):
          1  0 s  false ×3
        Time is manual: advance it first, with Simulation.advance(by:).
        """
    ) {
      await simulated(.manual) {
        let sleeping = Task { try await Task.sleep(for: .seconds(4)) }
        await eventually { false }
        sleeping.cancel()
      }
    },
    Mishap(
      "never true until the guard", at: #line + 8,
      reads: """
        eventually "the list is shown" expected its condition to become true, but it stayed false: 300 ms of real time went by.
        So far (now: *):
          1  *  false
        Has what would change that been started, and is it what the condition looks at?
        """
    ) {
      await soon { await eventually("the list is shown") { false } }
    },
    Mishap(
      "true after the guard", at: #line + 13,
      reads: """
        eventually expected its condition to become true, but it stayed false: 300 ms of real time went by.
        So far (now: *):
          1  *  false
        It became true * after the guard. If the machine is slow, SLEEPLESS_GUARD_SECONDS gives all waits more time.
        Has what would change that been started, and is it what the condition looks at?
        """
    ) {
      await soon {
        let looksAfter = Locked<Int?>(nil)
        let observer = Watch.Observer(guardIsOver: { looksAfter.withLock { $0 = 0 } })
        await Watch.$observer.withValue(observer) {
          await eventually {
            looksAfter.withLock { looks in
              looks = looks.map { $0 + 1 }
              return looks ?? 0 > 1
            }
          }
        }
      }
    },
    Mishap(
      "values seen on the way", at: #line + 12,
      reads: """
        eventually expected its condition to become true, but it stayed false: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  false
          2  0 s  threw offline ×2
          3  1 s  false ×10
        Has what would change that been started, and is it what the condition looks at?
        """
    ) {
      await simulated {
        let states = Locked<[Trouble?]>([nil, .offline, .offline, nil])
        await eventually(within: .seconds(5)) {
          if let trouble = states.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            throw trouble
          }
          return false
        }
      }
    },
    Mishap(
      "an error each time", at: #line + 8,
      reads: """
        eventually expected its condition to become true, but it threw offline: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  threw offline ×13
        An error means not yet. If it can never become right, end the wait with failFast.
        """
    ) {
      await simulated { await eventually(within: .seconds(5)) { throw Trouble.offline } }
    },
    Mishap(
      "a waiting task that is cancelled", at: #line + 9,
      reads: """
        eventually expected its condition to become true, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  false
        Usually a time limit of the test, or the test itself, cancels the task that waits.
        """
    ) {
      await simulated {
        let waiting = Task { await eventually { false } }
        await Task.yield()
        waiting.cancel()
        await waiting.value
      }
    },
    Mishap(
      "a waiting task that is cancelled outside a simulation", at: #line + 10,
      reads: """
        eventually expected its condition to become true, but the waiting task was cancelled first.
        So far (now: *):
          1  *  false
        Usually a time limit of the test, or the test itself, cancels the task that waits.
        """
    ) {
      let looks = Log<Int>()
      let waiting = Task {
        await eventually {
          looks.append(1)
          return false
        }
      }
      await eventually { !looks.values.isEmpty }
      waiting.cancel()
      await waiting.value
    },
    Mishap(
      "a condition that never returns", at: #line + 8,
      reads: """
        eventually expected its condition to become true, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that does not come. Let it only look.
        """
    ) {
      await soon {
        await eventually {
          await hang()
          return true
        }
      }
    },
    Mishap(
      "a condition that blocks", at: #line + 12,
      reads: """
        eventually expected its condition to become true, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that does not come. Let it only look.
        """
    ) {
      await soon {
        await onOwnThread {
          let gate = DispatchSemaphore(value: 0)
          let observer = Watch.Observer(hasGivenUp: { gate.signal() })
          await Watch.$observer.withValue(observer) {
            await eventually {
              block(on: gate)
              return true
            }
          }
        }
      }
    },
    Mishap(
      "a second evaluation that never returns", at: #line + 10,
      reads: """
        eventually expected its condition to become true, but evaluation number 2 has not returned.
        So far (now: *):
          1  *  false
        The condition blocks, or awaits something that does not come. Let it only look.
        """
    ) {
      await soon {
        let looks = Log<Int>()
        await eventually {
          looks.append(1)
          if looks.values.count == 2 { await hang() }
          return false
        }
      }
    },
    Mishap(
      "true too early", at: #line + 9,
      reads: """
        eventually expected its condition to become true, but that came too early: after 0 s, not before 2 s.
        So far (now: 0 s, evaluated once):
          1  0 s  true
        Something did not wait for as long as it should, or the state was left by what came before.
        """
    ) {
      await simulated {
        await eventually(notBefore: .seconds(2)) { Simulation.current!.now == .zero }
      }
    },
    Mishap(
      "failing fast", at: #line + 10,
      reads: """
        eventually expected its condition to become true, but failFast ended the wait after 1 s.
        So far (now: 1 s, evaluated 3 times):
          1  0 s  false ×3
        The test says that it cannot come any more.
        """
    ) {
      await simulated {
        let task = Task { try await Task.sleep(for: .seconds(1)) }
        await eventually(failFast: { Simulation.current!.now > .zero }) { false }
        try await task.value
      }
    },
    Mishap(
      "a value that does not come", at: #line + 9,
      reads: """
        eventually "a user" expected a value, but it stayed nil: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  nil ×13
        Has what would change that been started, and is it what the condition looks at?
        """
    ) {
      await simulated {
        _ = try? await eventually("a user", within: .seconds(5)) { nil as String? }
      }
    },
    Mishap(
      "a value that comes too early", at: #line + 9,
      reads: """
        eventually expected a value, but that came too early: after 0 s, not before 1 s.
        So far (now: 0 s, evaluated once):
          1  0 s  "Ada"
        Something did not wait for as long as it should, or the state was left by what came before.
        """
    ) {
      await simulated {
        _ = try? await eventually(notBefore: .seconds(1)) { "Ada" as String? }
      }
    },
    Mishap(
      "assertions that throw", at: #line + 9,
      reads: """
        eventually "the user is there" expected its assertions to hold, but it threw offline: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  threw offline ×13
        An error means not yet. If it can never become right, end the wait with failFast.
        """
    ) {
      await simulated {
        await eventually(asserting: "the user is there", within: .seconds(5)) {
          throw Trouble.offline
        }
      }
    },
    Mishap(
      "a negative limit", at: #line + 5,
      reads: """
        eventually: within: must be positive (was -1 s). Nothing was evaluated.
        """
    ) {
      await eventually(within: .seconds(-1)) { true }
    },
    Mishap(
      "bounds that exclude each other", at: #line + 5,
      reads: """
        eventually: notBefore: must not be after within: (2 s and 1 s). Nothing was evaluated.
        """
    ) {
      await eventually(within: .seconds(1), notBefore: .seconds(2)) { true }
    },
    Mishap(
      "a tooEarly bound that is negative", at: #line + 5,
      reads: """
        eventually: notBefore: must not be negative (was -2 s). Nothing was evaluated.
        """
    ) {
      await eventually(notBefore: .seconds(-2)) { true }
    },
  ]

  static let holding: [Mishap] = [
    Mishap(
      "always for no time", at: #line + 5,
      reads: """
        always: during: must be positive (was 0 s). Nothing was evaluated.
        """
    ) {
      await always(during: .zero) { true }
    },
    Mishap(
      "always, until it does not hold", at: #line + 11,
      reads: """
        always "it is quiet" expected its condition to be true for 5 s, but after 3 s it was false.
        So far (now: 3 s, evaluated 7 times):
          1  0 s  true ×6
          2  3 s  false
        What ran last before that has changed it; a recorder shows the order.
        """
    ) {
      await simulated {
        let task = Task { try await Task.sleep(for: .seconds(3)) }
        await always("it is quiet", during: .seconds(5)) { Simulation.current!.now < .seconds(3) }
        try await task.value
      }
    },
    Mishap(
      "always, until it throws", at: #line + 9,
      reads: """
        always expected its condition to be true for 5 s, but after 0 s it threw offline.
        So far (now: 0 s, evaluated once):
          1  0 s  threw offline
        It was so from the start: what should be the case then has to come first.
        """
    ) {
      await simulated {
        await always(during: .seconds(5)) { throw Trouble.offline }
      }
    },
    Mishap(
      "always, but it does not begin in time", at: #line + 9,
      reads: """
        always expected its condition to be true for 5 s, but after 2 s it was false.
        So far (now: 2 s, asked: 2 s, evaluated 5 times):
          1  0 s  false ×5
        What ran last before that has changed it; a recorder shows the order.
        """
    ) {
      await simulated {
        await always(during: .seconds(5), within: .seconds(2)) { false }
      }
    },
    Mishap(
      "never, but once", at: #line + 11,
      reads: """
        never expected its condition to be false for 5 s, but after 3 s it was true.
        So far (now: 3 s, evaluated 7 times):
          1  0 s  false ×6
          2  3 s  true
        What ran last before that has changed it; a recorder shows the order.
        """
    ) {
      await simulated {
        let task = Task { try await Task.sleep(for: .seconds(3)) }
        await never(during: .seconds(5)) { Simulation.current!.now == .seconds(3) }
        try await task.value
      }
    },
    Mishap(
      "nothing pending on a scheduler", at: #line + 11,
      reads: """
        eventually expected its condition to become true, but it stayed false: nothing is pending on the scheduler any more.
        So far (now: 3 s, evaluated 3 times):
          1  0 s  false ×3
        What would change that waits for something that never happens.
        """
    ) {
      synchronously {
        let scheduler = TestScheduler()
        scheduler.schedule(after: .seconds(3)) {}
        eventually(advancing: scheduler) { false }
      }
    },
    Mishap(
      "a limit on a scheduler", at: #line + 11,
      reads: """
        eventually expected its condition to become true, but it stayed false: 10 s of virtual time went by.
        So far (now: 10 s, asked: 10 s, evaluated 5 times):
          1  0 s  false ×5
        Has what would change that been started, and is it what the condition looks at?
        """
    ) {
      synchronously {
        let scheduler = TestScheduler(allowsPendingWork: true)
        scheduler.schedule(after: .seconds(1), every: .seconds(4)) {}
        eventually(within: .seconds(10), advancing: scheduler) { false }
      }
    },
    Mishap(
      "never on a scheduler, but once", at: #line + 12,
      reads: """
        never expected its condition to be false for 10 s, but after 5 s it was true.
        So far (now: 5 s, evaluated 3 times):
          1  0 s  false ×2
          2  5 s  true
        What ran last before that has changed it; a recorder shows the order.
        """
    ) {
      synchronously {
        let scheduler = TestScheduler(allowsPendingWork: true)
        scheduler.schedule(after: .seconds(1), every: .seconds(4)) {}
        never(during: .seconds(10), advancing: scheduler) { scheduler.now == .seconds(5) }
      }
    },
  ]

  static let operating: [Mishap] = [
    Mishap(
      "no error", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error, but it returned 7.
        Does it handle the error itself, or was it not made to fail?
        """
    ) {
      await expectThrows { 7 }
    },
    Mishap(
      "no error and no value", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error of type Trouble, but it returned.
        Does it handle the error itself, or was it not made to fail?
        """
    ) {
      await expectThrows(Trouble.self) {}
    },
    Mishap(
      "another type of error", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error of type CancellationError, but it threw Trouble: offline.
        If the operation is right, expect that error.
        """
    ) {
      await expectThrows(CancellationError.self) { throw Trouble.offline }
    },
    Mishap(
      "another error", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw offline, but it threw Trouble: signedOut.
        If the operation is right, expect that error.
        """
    ) {
      await expectThrows(Trouble.offline) { throw Trouble.signedOut }
    },
    Mishap(
      "an error that the predicate does not accept", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error that the predicate accepts, but it threw Trouble: offline.
        If the operation is right, expect that error.
        """
    ) {
      await expectThrows(where: { _ in false }) { throw Trouble.offline }
    },
    Mishap(
      "an operation that should throw and does not end", at: #line + 7,
      reads: """
        expectThrows expected the operation to throw an error, but it did not end: 300 ms of real time went by.
        So far (now: *).
        Does it wait for something that never comes?
        """
    ) {
      await soon { await expectThrows { await hang() } }
    },
    Mishap(
      "an operation that does not finish", at: #line + 12,
      reads: """
        expectFinish "search" expected the operation to finish, but it kept running: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  running ×13
        Does it wait for something that the test has to do, such as moving time?
        """
    ) {
      await simulated {
        let operation = StartedOperation("search") {
          for await _ in AsyncStream(Int.self, { kept.append($0) }) {}
        }
        try? await operation.expectFinish(within: .seconds(5))
        await operation.expectCancellation()
      }
    },
    Mishap(
      "an operation that does not finish in time", at: #line + 10,
      reads: """
        expectFinish expected the operation to finish, but it kept running: 2 s of virtual time went by.
        So far (now: 2 s, asked: 2 s, evaluated 7 times):
          1  0 s  running ×7
        Does it wait for something that the test has to do, such as moving time?
        """
    ) {
      await simulated {
        let operation = StartedOperation { try await Task.sleep(for: .seconds(3)) }
        try? await operation.expectFinish(within: .seconds(2))
        await operation.expectCancellation()
      }
    },
    Mishap(
      "an operation that has ended already", at: #line + 10,
      reads: """
        expectRunning "answer" expected the operation to be running, but after 0 s it was over: it returned 42.
        So far (now: 0 s, evaluated once):
          1  0 s  over: it returned 42
        It was so from the start: what should be the case then has to come first.
        """
    ) {
      await simulated {
        let operation = StartedOperation("answer") { 42 }
        await operation.expectRunning()
      }
    },
    Mishap(
      "an operation that ends too soon", at: #line + 11,
      reads: """
        expectRunning expected the operation to be running for 5 s, but after 3 s it was over: it returned.
        So far (now: 3 s, evaluated 7 times):
          1  0 s  running ×6
          2  3 s  over: it returned
        What ran last before that has changed it; a recorder shows the order.
        """
    ) {
      await simulated {
        let operation = StartedOperation { try await Task.sleep(for: .seconds(3)) }
        await operation.expectRunning(for: .seconds(5))
      }
    },
    Mishap(
      "a negative time to be running", at: #line + 6,
      reads: """
        expectRunning: the duration must not be negative (was -1 s).
        """
    ) {
      await simulated {
        await StartedOperation { 42 }.expectRunning(for: .seconds(-1))
      }
    },
    Mishap(
      "an operation that ignores cancellation", at: #line + 12,
      reads: """
        expectCancellation "upload" expected cancelling to end the operation, but it kept running: 1 s of virtual time went by.
        So far (now: 1 s, asked: 1 s, evaluated 6 times):
          1  0 s  running ×6
        Usually a continuation without a cancellation handler, or an error that is caught and forgotten: check Task.isCancelled in loops.
        """
    ) {
      await simulated {
        let operation = StartedOperation("upload") {
          await Task.detached { try? await Task.sleep(for: .seconds(30)) }.value
        }
        await operation.expectCancellation(within: .seconds(1))
        try? await operation.expectFinish()
      }
    },
    Mishap(
      "an operation that had ended before it was cancelled", at: #line + 9,
      reads: """
        expectCancellation expected the operation to be running, but it had ended before it was cancelled: it threw offline.
        Hold back what it waits for, or move time less far, before cancelling.
        """
    ) {
      await simulated {
        let operation = StartedOperation { throw Trouble.offline }
        try? await operation.expectFinish()
        await operation.expectCancellation()
      }
    },
    Mishap(
      "a negative time to cancel", at: #line + 6,
      reads: """
        expectCancellation: within: must not be negative (was -1 s).
        """
    ) {
      await simulated {
        await StartedOperation { 42 }.expectCancellation(within: .seconds(-1))
      }
    },
    Mishap(
      "a callback that is not called", at: #line + 9,
      reads: """
        expectExactlyOnce "the completion" expected its callback to be called, but it was not: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  not called ×13
        Is the callback kept until there is an answer, and called on every path?
        """
    ) {
      await simulated {
        _ = try? await expectExactlyOnce("the completion", within: .seconds(5)) {
          (_: @escaping @Sendable (Int) -> Void) in
        }
      }
    },
    Mishap(
      "a callback that is called twice", at: #line + 6,
      reads: """
        expectExactlyOnce "the completion" expected its callback to be called once, but it was called again: with 1, and then with 2.
        Usually a path that goes on after calling back, or a retry that does not cancel the first try.
        """
    ) {
      _ = try? await expectExactlyOnce("the completion") {
        (done: @escaping @Sendable (Int) -> Void) in
        done(1)
        done(2)
        done(3)
      }
    },
  ]
}

/// Shortens the guard; a thread of a busy machine still gets its turn.
private func soon(_ body: () async -> Void) async {
  await Guard.$shortened.withValue(.milliseconds(300), operation: body)
}

private func simulated(
  _ time: Simulation.Options.Time = .automatic, _ body: @escaping () async throws -> Void
) async {
  let isAutomatic = if case .automatic = time { true } else { false }
  try? await simulate(time: time, allowing: .everything) {
    // Something is always due, so that what does not come does not come in time.
    if isAutomatic {
      await Simulation.background {
        _ = Task { while !Task.isCancelled { try await Task.sleep(for: .seconds(1)) } }
      }
    }
    try await body()
  }
}

private func hang() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

private func block(on gate: DispatchSemaphore) { gate.wait() }

private let kept = Log<AsyncStream<Int>.Continuation>()
