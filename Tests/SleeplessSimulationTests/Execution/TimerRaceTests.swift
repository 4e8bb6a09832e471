// virtual time: all sleeps are in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Races of timers, run loops, operations and iterations are found, and there is none in the program that is right.
@Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct TimerRaceTests {
  @Test @available(macOS 15, *)
  func `S7 a heartbeat at the instant at which its absence is told is found`() async {
    await expectBug(right: true) { isRight in
      let (beats, isAlive) = (Locked(0), Locked(true))
      let queue = DispatchQueue(label: "heart")
      let heart = timer(every: 1, on: queue) { beats.withLock { $0 += 1 } }
      // A watchdog has to leave the heart some time.
      let watchdog = timer(every: isRight ? 1.5 : 1, on: .global()) {
        let count = beats.withLock { count in
          defer { count = 0 }
          return count
        }
        if count == 0 { isAlive.withLock { $0 = false } }
      }
      try? await Task.sleep(for: .seconds(6.2))
      heart.cancel()
      watchdog.cancel()
      return isAlive.withLock { $0 }
    }
  }

  @Test(.needs(.runLoops)) @available(macOS 15, *)
  func `S7 a timeout and an answer that both complete are found`() async {
    await expectBug(right: 1) { isRight in
      let request = await Request(completesOnce: isRight)
      await request.send()
      try? await Task.sleep(for: .seconds(2))
      return await request.completions
    }
  }

  @Test(.needs(.runLoops)) @available(macOS 15, *)
  func `S7 a run of the run loop that returns after another block is found`() async {
    await expectBug(right: "answer") { isRight in
      await Task { @MainActor in
        let answer = Locked("")
        DispatchQueue.global().async {
          DispatchQueue.main.async { answer.withLock { $0 = "answer" } }
        }
        DispatchQueue.global().async { DispatchQueue.main.async {} }
        repeat {
          runMainLoopOnce()
        } while isRight && answer.withLock { $0.isEmpty }
        return answer.withLock { $0 }
      }.value
    }
  }

  @Test(.needs(.operations)) @available(macOS 15, *)
  func `S7 an operation that reads what another one writes is found`() async {
    await expectBug(right: "parsed data") { isRight in
      let (data, text) = (Locked(""), Locked(""))
      let download = BlockOperation { data.withLock { $0 = "data" } }
      let parse = BlockOperation {
        let data = data.withLock { $0 }
        text.withLock { $0 = "parsed \(data)" }
      }
      if isRight { parse.addDependency(download) }
      let queue = OperationQueue()
      for operation in [download, parse] { queue.addOperation(operation) }
      finish(queue)
      return text.withLock { $0 }
    }
  }

  @Test(.needs(.operations)) @available(macOS 15, *)
  func `S7 a completion block that comes after the end of the queue's work is found`() async {
    await expectBug(right: true) { isRight in
      let (isShown, queue) = (Locked(false), OperationQueue())
      let operation = BlockOperation {}
      let shows: @Sendable () -> Void = { isShown.withLock { $0 = true } }
      if isRight { operation.addExecutionBlock(shows) } else { operation.completionBlock = shows }
      queue.addOperation(operation)
      finish(queue)
      return isShown.withLock { $0 }
    }
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `S7 a race between iterations and a task is found`() async {
    await expectBug(right: 4) { isRight in
      let count = Locked(0)
      let task = Task { count.withLock { $0 += 1 } }
      DispatchQueue.concurrentPerform(iterations: 3) { _ in
        if isRight { return count.withLock { $0 += 1 } }
        let old = count.withLock { $0 }
        Thread.sleep(forTimeInterval: 0.001)
        count.withLock { $0 = old + 1 }
      }
      await task.value
      return count.withLock { $0 }
    }
  }
}

/// A request whose answer comes after a second, which is also its timeout.
@MainActor private final class Request {
  private(set) var completions = 0
  private let completesOnce: Bool
  private var timeout: Timer?

  init(completesOnce: Bool) { self.completesOnce = completesOnce }

  func send() {
    timeout = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in
      MainActor.assumeIsolated { self.complete() }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
      self.timeout?.invalidate()
      self.complete()
    }
  }

  private func complete() {
    guard !completesOnce || completions == 0 else { return }
    completions += 1
  }
}

private func timer(
  every interval: Double, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
) -> SourceTimer {
  let source = DispatchSource.makeTimerSource(queue: queue)
  source.setEventHandler(handler: handler)
  source.schedule(deadline: .now() + interval, repeating: interval)
  source.activate()
  return SourceTimer(source)
}

private final class SourceTimer: @unchecked Sendable {
  // Unchecked because the protocol is not Sendable, while Dispatch's sources are safe on any thread.
  private let source: any DispatchSourceTimer
  init(_ source: any DispatchSourceTimer) { self.source = source }
  func cancel() { source.cancel() }
}

// Not async, so that they may block.

@MainActor private func runMainLoopOnce() {
  _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
}

private func finish(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }
