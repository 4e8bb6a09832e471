// virtual time: everything here runs in simulations
#if os(Linux)
  import CoreFoundation
#endif
import Foundation
import SleeplessSimulation
import SleeplessTesting
import TestSupport
import VirtualTime

extension FailureCase {
  /// Simulations that do not end, end too early, or cannot begin.
  static let simulating = [
    FailureCase(
      "a deadlock", at: #line + 12, needs: .capture,
      reads: """
        The simulation is deadlocked at 3 s: nothing can run, nothing is due, and the body has \
        not ended.
          the body: suspended since 3 s
          task 1 "reader": suspended since 0 s
        This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
        that wait for each other.
        Threads and the network are not simulated; the simulation waits 500 ms for \
        them. Inject a double there, or run the call in Simulation.outside { ... }.
        """
    ) {
      try? await simulate {
        Task(name: "reader") { await never() }
        try await Task.sleep(for: .seconds(3))
        await never()
      }
    },
    FailureCase(
      "a deadlock at a task of a global variable", at: #line + 11, needs: .capture,
      reads: """
        The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has \
        not ended.
          the body: suspended since 0 s
          task 1 "consumer" of the global variable Mailbox.awaited: suspended since 0 s
        This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
        that wait for each other.
        Threads and the network are not simulated; the simulation waits 100 ms for \
        them. Inject a double there, or run the call in Simulation.outside { ... }.
        """
    ) { await soon { try? await simulate { await Mailbox.awaited.consumer.value } } },
    FailureCase(
      "a deadlock in an order drawn at random", at: #line + 11, needs: .capture,
      reads: """
        The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has \
        not ended.
          the body: suspended since 0 s
        This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
        that wait for each other.
        Threads and the network are not simulated; the simulation waits 100 ms for \
        them. Inject a double there, or run the call in Simulation.outside { ... }.
        To repeat this order: order: .shuffled(seed: 7).
        """
    ) { await soon { try? await simulate(order: .shuffled(seed: 7)) { await never() } } },
    FailureCase(
      "a deadlock because nothing advances time", at: #line + 10, needs: .capture,
      reads: """
        The simulation is deadlocked at 0 s: nothing can run, nothing advances time, and the \
        body has not ended.
          the body: suspended since 0 s
          task 1: asleep until 1 s since 0 s
        Time is manual: the tasks that sleep go on when the test calls Simulation.advance(by:).
        """
    ) {
      await soon {
        try? await simulate(time: .manual) {
          try await Task { try await Task.sleep(for: .seconds(1)) }.value
        }
      }
    },
    FailureCase(
      "a loop of yields", at: #line + 10, needs: .capture,
      reads: """
        The simulation did not come to an end: 1000 steps were taken, and virtual time is 0 s. These \
        tasks took the most:
          the body: able to run since 0 s, 500 steps
        This is usually a loop that sleeps or yields, or a repeating timer, and nothing cancels it. \
        Cancel it when the test has seen enough, start it in Simulation.background { ... } if it is \
        meant to live on, or raise stepLimit.
        """
    ) {
      try? await simulate(stepLimit: 1000) {
        while !Task.isCancelled { await Task.yield() }
      }
    },
    FailureCase(
      "a loop of sleeps of zero", at: #line + 10, needs: .capture,
      reads: """
        The simulation did not come to an end: 1000 steps were taken, and virtual time is 0 s. These \
        tasks took the most:
          the body: able to run since 0 s, 1000 steps
        This is usually a loop that sleeps or yields, or a repeating timer, and nothing cancels it. \
        Cancel it when the test has seen enough, start it in Simulation.background { ... } if it is \
        meant to live on, or raise stepLimit.
        """
    ) {
      try? await simulate(stepLimit: 1000) {
        while true { try await Task.sleep(for: .zero) }
      }
    },
    FailureCase(
      "a time limit", at: #line + 10, needs: .capture,
      reads: """
        The simulation did not come to an end: virtual time is 10 s, and the next deadline lies \
        beyond timeLimit: 10.5 s.
          the body: asleep until 11 s since 10 s
        This is usually a loop that sleeps, or a repeating timer, and nothing cancels it. \
        Cancel it, start it in Simulation.background { ... }, or raise timeLimit. A sleep until a distant \
        date has the same effect.
        """
    ) {
      try? await simulate(timeLimit: .seconds(10.5)) {
        while true { try await Task.sleep(for: .seconds(1)) }
      }
    },
    FailureCase(
      "a timer without an end", at: #line + 11, needs: .capture,
      reads: """
        The simulation did not come to an end: 1000 steps were taken, and virtual time is 333 s. These \
        tasks took the most:
          task 1: able to run since 332 s, 333 steps
          the body: suspended since 0 s, 1 step
        This is usually a loop that sleeps or yields, or a repeating timer, and nothing cancels it. \
        Cancel it when the test has seen enough, start it in Simulation.background { ... } if it is \
        meant to live on, or raise stepLimit.
        """
    ) {
      try? await simulate(stepLimit: 1000) {
        let timer = Task { while !Task.isCancelled { try await Task.sleep(for: .seconds(1)) } }
        try await timer.value
      }
    },
    FailureCase(
      "tasks that sleep on", at: #line + 9, needs: .capture,
      reads: """
        The body has ended (at 0 s), but 1 task still sleeps:
          task 1 "poller": asleep until 60 s since 0 s
        The rest of their work is not tested. Run it with settle() or a sleep of the test's own, \
        cancel them, start them in Simulation.background { ... } if they are meant to live on, or \
        allow it with allowing: .sleepingTasks.
        """
    ) {
      try? await simulate {
        _ = Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
      }
    },
    FailureCase(
      "a task of a global variable that waits on", at: #line + 8, needs: .capture,
      reads: """
        The body has ended (at 0 s), but 1 task has not:
          task 1 "consumer" of the global variable Mailbox.shared: suspended since 0 s
        The rest of their work is not tested. Await them, cancel them, start them in \
        Simulation.background { ... } if they are meant to live on, or allow it with allowing: .suspendedTasks.
        """
    ) {
      try? await simulate { _ = Mailbox.shared }
    },
    FailureCase(
      "a task that waits on", at: #line + 8, needs: .capture,
      reads: """
        The body has ended (at 0 s), but 1 task has not:
          task 1: suspended since 0 s
        The rest of their work is not tested. Await them, cancel them, start them in \
        Simulation.background { ... } if they are meant to live on, or allow it with allowing: .suspendedTasks.
        """
    ) {
      try? await simulate {
        _ = Task { for await _ in AsyncStream(Int.self, { kept.append($0) }) {} }
      }
    },
    FailureCase(
      "work that is pending", at: #line + 7,
      reads: """
        The body has ended (at 0 s) with work pending that will now never run:
          at 5 s: FailureCase+Simulating.swift:\(#line + 4)
        Let it run with settle() or Simulation.advance(by:), cancel it, or allow it with allowing: \
        .pendingWork.
        """
    ) { try? await simulate { _ = Simulation.scheduler().schedule(after: .seconds(5)) {} } },
    FailureCase(
      "a task that ignores cancellation", at: #line + 8, needs: .capture,
      reads: """
        1 task did not end when cancelled at the end of the simulation:
          task 1: suspended since 0 s
        They and what they hold are never released. This is usually a continuation: resume it in a \
        cancellation handler.
        """
    ) {
      try? await simulate(allowing: .suspendedTasks) {
        _ = Task { await never() }
      }
    },
    FailureCase(
      "a blocked thread that ignores cancellation", at: #line + 9, needs: .blockingCalls,
      reads: """
        2 tasks did not end when cancelled at the end of the simulation:
          task 1: suspended since 0 s
          task 2: waiting for a semaphore since 0 s
        They and what they hold are never released. This is usually a continuation: resume it in a \
        cancellation handler. Cancelling does not end a wait for a semaphore or a group: signal or leave it.
        """
    ) {
      try? await simulate(allowing: .suspendedTasks) {
        _ = Task { await never() }
        _ = Task { block(on: DispatchSemaphore(value: 0)) }
      }
    },
    FailureCase(
      "a blocked thread that waits on", at: #line + 9, needs: .blockingCalls,
      reads: """
        The body has ended (at 0 s), but 1 task has not:
          task 1: waiting for a semaphore since 0 s
        The rest of their work is not tested. Await them, cancel them, start them in \
        Simulation.background { ... } if they are meant to live on, or allow it with allowing: .suspendedTasks. \
        Signal the semaphore or leave the group for which a task waits.
        """
    ) {
      try? await simulate(allowing: .sleepingTasks) {
        let semaphore = DispatchSemaphore(value: 0)
        _ = Task { block(on: semaphore) }
        _ = Task {
          try? await Task.sleep(for: .seconds(60))
          semaphore.signal()
        }
      }
    },
    FailureCase(
      "a simulation within a simulation", at: #line + 9,
      reads: """
        simulate was called inside a simulation. The body now runs as part of the outer one: same \
        time, same order.
        Remove the inner call: the test is simulated already, by a trait, by SimulatedTestCase, or \
        by a call of simulate or explore further out.
        """
    ) {
      try? await simulate {
        try await simulate { try await Task.sleep(for: .seconds(1)) }
      }
    },
    FailureCase(
      "a set's order", at: #line + 11, needs: .capture,
      reads: """
        Two runs in the same order differ from step 2 on. The first run ran a job of an actor or \
        the runtime at 1 s, the second ran a job of an actor or the runtime at 2 s.
        Something outside the simulation decides the order: a Set or Dictionary, Date(), UUID(), random \
        numbers, work on a queue or thread that the simulation does not control, or what an earlier run left \
        in a static variable or a file. SWIFT_DETERMINISTIC_HASHING=1 in the environment fixes the order of sets; \
        Simulation.randomNumbers() gives numbers that are the same each time.
        """
    ) {
      let runs = Log<Int>()
      try? await simulate(checksDeterminism: true) {
        runs.append(1)
        try await Task.sleep(for: .seconds(runs.values.count))
      }
    },
    FailureCase(
      "an external resumption", at: #line + 9, needs: .capture,
      reads: """
        Once a task was resumed from outside the simulation:
          the body: suspended from 0 s to 0 s
        The simulation does not control when that happens, so another run may differ. This is usually a \
        network call or a thread of the code's own. Inject a double there, or run the call in \
        Simulation.outside { ... }, which stops virtual time until it returns.
        """
    ) {
      try? await simulate(externalResumptions: .failed) {
        await answerFromOutside()
      }
    },
    FailureCase(
      "an answer from outside that does not come", at: #line + 12, needs: .capture,
      reads: """
        The simulation is possibly deadlocked at 0 s: nothing can run, nothing came \
        from outside for 100 ms of real time, nothing is due, and the body has not ended.
          the body: suspended since 0 s
        This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
        that wait for each other.
        Once a task was resumed from outside the simulation, so something outside may still answer. \
        With externalResumptions: .failed the test says which tasks these were.
        """
    ) {
      await soon {
        try? await simulate {
          await answerFromOutside()
          await never()
        }
      }
    },
    FailureCase(
      "a job that blocks its thread", at: #line + 12, needs: .capture,
      reads: """
        A job of the simulation has kept its thread for 100 ms of real time (virtual time: 0 s):
          the body: running since 0 s
        This is usually a lock or another synchronous call that waits for something that \
        only another job can do, or an endless loop. The simulation was given up; the thread is still held. \
        Await instead of blocking. If the call waits for code outside the simulation, run it in \
        Simulation.outside { ... }.
        """
    ) {
      await soon {
        let gate = ThreadSignal()
        try? await simulate { gate.wait() }
        gate.send()
      }
    },
    FailureCase(
      "a thread that waits for ever", at: #line + 12, needs: .capture,
      reads: """
        The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has not ended.
          the body: waiting for a dispatch group since 0 s
          task 1 "waiter": waiting for a semaphore since 0 s
        This is usually a semaphore or a condition that is never signalled, a group that is never left, a \
        continuation that is never resumed, or tasks that wait for each other.
        Threads and the network are not simulated; the simulation waits 100 ms for them. If one \
        of them is to signal, run the whole waiting call in Simulation.outside { ... }.
        """
    ) {
      await soon {
        try? await simulate {
          Task(name: "waiter") { block(on: DispatchSemaphore(value: 0)) }
          block(on: DispatchGroup.entered)
        }
      }
    },
    FailureCase(
      "two queues that wait for each other", at: #line + 12, needs: .queues,
      reads: """
        The simulation is deadlocked at 1 s: nothing can run, nothing is due, and the body has not ended.
          the body: suspended since 0 s
          task 1 "queue com.example.disk": waiting for the queue com.example.log since 1 s
          task 2 "queue com.example.log": waiting for the queue com.example.disk since 1 s
        This is usually a sync with the queue that the code runs on, a continuation that is never resumed, \
        or tasks that wait for each other.
        Threads and the network are not simulated; the simulation waits 100 ms for them. Inject a double \
        there, or run the call in Simulation.outside { ... }.
        """
    ) {
      await soon { try? await simulate { await syncBetweenQueues() } }
    },
    FailureCase(
      "a condition that nobody signals", at: #line + 10, needs: .operations,
      reads: """
        The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has not ended.
          the body: waiting for a condition since 0 s
        This is usually a semaphore or a condition that is never signalled, a group that is never left, a \
        continuation that is never resumed, or tasks that wait for each other.
        Threads and the network are not simulated; the simulation waits 100 ms for them. If one \
        of them is to signal, run the whole waiting call in Simulation.outside { ... }.
        """
    ) {
      await soon { try? await simulate { block(on: NSCondition()) } }
    },
    // The end is no timeout, so none is shortened.
    FailureCase(
      "too many threads that sleep", at: #line + 18, needs: .queues,
      reads: """
        The simulation was given up at 0 s, because 512 of its threads are blocked at the same time.
          the body: asleep until 2 s since 0 s
          task 1 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 2 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 3 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 4 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 5 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 6 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 7 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 8 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          task 9 "queue com.apple.root.default-qos": asleep until 1 s since 0 s
          and 991 more tasks
        Each call that sleeps or waits keeps a thread of the system, also without a simulation. \
        Await instead of blocking, or use fewer queues.
        """
    ) {
      try? await simulate { try await sleepInManyBlocks() }
    },
    FailureCase(
      "a run loop that nothing stops", at: #line + 10, needs: .runLoops,
      reads: """
        The simulation is deadlocked at 60 s: nothing can run, nothing is due, and the body has not ended.
          the body: waiting for a stop of its thread's run loop since 60 s
        This is usually a run loop that is never stopped, a continuation that is never resumed, or tasks \
        that wait for each other.
        Threads and the network are not simulated; the simulation waits 100 ms for them. If one \
        of them is to stop the run loop, run the whole waiting call in Simulation.outside { ... }.
        """
    ) {
      await soon { try? await simulate { runRunLoop() } }
    },
    FailureCase(
      "advancing outside", at: #line + 6,
      reads: """
        Simulation.advance(by:) was called outside a simulation.
        Give the test the trait .simulated, or run the code in simulate { ... }. Code on a \
        thread of its own, or on a queue that the simulation does not control, is outside as well.
        """
    ) { await Simulation.advance(by: .seconds(1)) },
    FailureCase(
      "time moved back", at: #line + 5,
      reads: """
        Simulation.advance(by: -1 s) would move time back: now is 0 s. Nothing was run.
        Virtual time only moves forward.
        """
    ) { try? await simulate { await Simulation.advance(by: .seconds(-1)) } },
  ]
}

/// Shortens the timeout, and with it the wait for the outside; a thread of a busy machine still gets to
/// run.
extension FailureCase {
  /// A main actor that takes no job. All other code that needs the main actor waits meanwhile, so this
  /// runs in a process of its own.
  static let aBlockedMainActor = FailureCase(
    "a main actor that is blocked", at: #line + 18,
    reads: """
      The main actor took no job for 100 ms of real time (virtual time: 2 s):
        the body: waiting for the main actor since 2 s
      This is usually a synchronous test that blocks the main thread while it waits for the \
      simulation. Make the test async and await simulate there. A job of an earlier test that is \
      deadlocked on the main actor keeps it for good: if an earlier test failed with such a deadlock, \
      correct that test first.
      """
  ) {
    let gate = DispatchSemaphore(value: 0)
    let isBlocked = AsyncStream<Void>.makeStream()
    let holder = Task { @MainActor in
      isBlocked.continuation.yield()
      block(on: gate)
    }
    for await _ in isBlocked.stream { break }
    await soon {
      try? await simulate {
        try await Task.sleep(for: .seconds(2))
        await MainActor.run {}
      }
    }
    gate.signal()
    await holder.value
  }
}

private func sleepInManyBlocks() async throws {
  for _ in 1...1_000 { DispatchQueue.global().async { Thread.sleep(forTimeInterval: 1) } }
  try await Task.sleep(for: .seconds(2))
}

private func soon(_ body: () async -> Void) async {
  await HangTimeout.$shortened.withValue(.milliseconds(100), operation: body)
}

private func answerFromOutside() async {
  await withCheckedContinuation { done in
    // real time: an answer that came before the task waits for it would be no external resumption
    outsideSimulations {
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { done.resume() }
    }
  }
}

private func never() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

private func block(on gate: DispatchSemaphore) { gate.wait() }

/// Runs a run loop in which a timer fires, and which has a source that is never signalled.
private func runRunLoop() {
  #if os(Linux)
    var context = CFRunLoopSourceContext()
    let source = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
    _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: false) { _ in }
    CFRunLoopRun()
  #endif
}

private func block(on group: DispatchGroup) { group.wait() }

private func block(on condition: NSCondition) {
  condition.lock()
  condition.wait()
  condition.unlock()
}

/// Each of two queues waits for the other one.
private func syncBetweenQueues() async {
  let disk = DispatchQueue(label: "com.example.disk")
  let log = DispatchQueue(label: "com.example.log")
  for (queue, other) in [(disk, log), (log, disk)] {
    queue.async {
      Thread.sleep(forTimeInterval: 1)
      other.sync {}
    }
  }
  await never()
}

extension DispatchGroup {
  fileprivate static var entered: DispatchGroup {
    let group = DispatchGroup()
    group.enter()
    return group
  }
}

private let kept = Log<AsyncStream<Int>.Continuation>()

private final class Mailbox: Sendable {
  static let shared = Mailbox()
  static let awaited = Mailbox()
  let consumer: Task<Void, Never>
  private let letters = AsyncStream<String>.makeStream()

  init() {
    consumer = Task(name: "consumer") { [letters = letters.stream] in for await _ in letters {} }
  }
}
