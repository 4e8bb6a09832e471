import Dispatch
import SleeplessTesting
import TestSupport
import VirtualTime

extension FailureCase {
  /// Waits that only the timeout can end, in real time.
  static let timeoutRunningOut: [FailureCase] = [
    FailureCase(
      "never true until the timeout", at: #line + 8,
      reads: """
        eventually "the list is shown" expected its condition to become true, but it stayed false: 50 ms of real time went by.
        So far (now: *):
          1  *  false
        Was the code started? Does the condition read the right state?
        """
    ) {
      await soon { await eventually("the list is shown") { false } }
    },
    FailureCase(
      "never true within a time that is scaled as the timeout is", at: #line + 8,
      reads: """
        eventually expected its condition to become true, but it stayed false: 50 ms of real time went by (10 s, scaled by SLEEPLESS_GUARD_SECONDS).
        So far (now: *):
          1  *  false
        Was the code started? Does the condition read the right state?
        """
    ) {
      await soon { await eventually(within: .seconds(10)) { false } }
    },
    FailureCase(
      "true after the timeout", at: #line + 13,
      reads: """
        eventually expected its condition to become true, but it stayed false: 50 ms of real time went by.
        So far (now: *):
          1  *  false
        It became true * after the timeout. If the machine is slow, SLEEPLESS_GUARD_SECONDS gives all waits more time.
        Was the code started? Does the condition read the right state?
        """
    ) {
      await soon {
        let looksAfter = Locked<Int?>(nil)
        let observer = ConditionWaiter.Observer(timeoutIsOver: { looksAfter.withLock { $0 = 0 } })
        await ConditionWaiter.$observer.withValue(observer) {
          await eventually {
            looksAfter.withLock { evaluations in
              evaluations = evaluations.map { $0 + 1 }
              return evaluations ?? 0 > 1
            }
          }
        }
      }
    },
    FailureCase(
      "false after the timeout, and then never evaluated to the end", at: #line + 12,
      reads: """
        eventually expected its condition to become true, but it stayed false: 50 ms of real time went by.
        So far (now: *):
          1  *  false
        Was the code started? Does the condition read the right state?
        """
    ) {
      await soon {
        let looksAfter = Locked<Int?>(nil)
        let observer = ConditionWaiter.Observer(timeoutIsOver: { looksAfter.withLock { $0 = 0 } })
        await ConditionWaiter.$observer.withValue(observer) {
          await eventually {
            let number = looksAfter.withLock { evaluations in
              evaluations = evaluations.map { $0 + 1 }
              return evaluations ?? 0
            }
            if number == 2 { await hang() }
            return false
          }
        }
      }
    },
    FailureCase(
      "a waiting task that is cancelled outside a simulation", at: #line + 10,
      reads: """
        eventually expected its condition to become true, but the waiting task was cancelled first.
        So far (now: *):
          1  *  false
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      let evaluations = Log<Int>()
      let waiting = Task {
        await eventually {
          evaluations.append(1)
          return false
        }
      }
      await eventually { !evaluations.values.isEmpty }
      waiting.cancel()
      await waiting.value
    },
    FailureCase(
      "a condition that never returns", at: #line + 8,
      reads: """
        eventually expected its condition to become true, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that never comes. It should only read state.
        """
    ) {
      await soon {
        await eventually {
          await hang()
          return true
        }
      }
    },
    FailureCase(
      "a condition that blocks", at: #line + 12,
      reads: """
        eventually expected its condition to become true, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that never comes. It should only read state.
        """
    ) {
      await soon {
        await onOwnThread {
          let gate = DispatchSemaphore(value: 0)
          let observer = ConditionWaiter.Observer(hasGivenUp: { gate.signal() })
          await ConditionWaiter.$observer.withValue(observer) {
            await eventually {
              block(on: gate)
              return true
            }
          }
        }
      }
    },
    FailureCase(
      "a second evaluation that never returns", at: #line + 10,
      reads: """
        eventually expected its condition to become true, but evaluation number 2 has not returned.
        So far (now: *):
          1  *  false
        The condition blocks, or awaits something that never comes. It should only read state.
        """
    ) {
      await soon {
        let evaluations = Log<Int>()
        await eventually {
          evaluations.append(1)
          if evaluations.values.count == 2 { await hang() }
          return false
        }
      }
    },
    FailureCase(
      "an operation that should throw and does not end", at: #line + 7,
      reads: """
        expectThrows expected the operation to throw an error, but it did not end: 50 ms of real time went by.
        So far (now: *).
        Does it wait for something that never comes?
        """
    ) {
      await soon { await expectThrows { await hang() } }
    },
    FailureCase(
      "a value that is never looked for to the end", at: #line + 8,
      reads: """
        eventually "a user" expected a value, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that never comes. It should only read state.
        """
    ) {
      await soon {
        _ = try? await eventually("a user") { () async -> String? in
          await hang()
          return nil
        }
      }
    },
    FailureCase(
      "assertions that never return", at: #line + 7,
      reads: """
        eventually "it holds" expected its assertions to hold, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that never comes. It should only read state.
        """
    ) {
      await soon { await eventually(asserting: "it holds") { await hang() } }
    },
    FailureCase(
      "always, of a condition that never returns", at: #line + 8,
      reads: """
        always expected its condition to be true for 1 ms, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that never comes. It should only read state.
        """
    ) {
      await soon {
        await always(during: .milliseconds(1)) {
          await hang()
          return true
        }
      }
    },
    FailureCase(
      "never, of a condition that never returns", at: #line + 8,
      reads: """
        never expected its condition to be false for 1 ms, but it was never evaluated: the first evaluation has not returned.
        So far (now: *).
        The condition blocks, or awaits something that never comes. It should only read state.
        """
    ) {
      await soon {
        await never(during: .milliseconds(1)) {
          await hang()
          return false
        }
      }
    },
  ]
}

/// Shortens the timeout; the texts do not depend on how much ran meanwhile.
private func soon(_ body: () async -> Void) async {
  await HangTimeout.$shortened.withValue(.milliseconds(50), operation: body)
}

private func hang() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

private func block(on gate: DispatchSemaphore) { gate.wait() }
