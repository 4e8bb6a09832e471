// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// A schedule of blocks fails, is shown and is replayed as one of tasks.
@Suite(.needs(.queues)) struct QueueExplorationTests {
  /// The ways to give code to a queue, a timer, a run loop or an operation.
  enum Way: CaseIterable {
    case global, serial, main, detached, item, delayed, operation
    case barrier, sync, syncBarrier, concurrentPerform, groupNotification, itemNotification
    case timerEvent, timerCancellation, timerOfRunLoop, blockOfRunLoop, completionBlock
    #if os(Linux)
      case asyncAndWait
    #endif

    /// What it needs beyond queues, operations and clocks.
    var need: Need? { self == .timerOfRunLoop || self == .blockOfRunLoop ? .runLoops : nil }

    func run(_ code: @escaping @Sendable () -> Void) {
      let queue = DispatchQueue(label: "com.example")
      let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
      switch self {
      case .global: DispatchQueue.global().async { code() }
      case .serial: queue.async { code() }
      case .main: DispatchQueue.main.async { code() }
      case .detached: queue.async(flags: .detached) { code() }
      case .item:
        let flags: DispatchWorkItemFlags = [.assignCurrentContext, .enforceQoS]
        queue.async(execute: DispatchWorkItem(qos: .background, flags: flags) { code() })
      case .delayed: queue.asyncAfter(deadline: .now() + 1) { code() }
      case .operation: OperationQueue().addOperation { code() }
      case .barrier: concurrent.async(flags: .barrier) { code() }
      case .sync: queue.sync { code() }
      case .syncBarrier: concurrent.sync(flags: .barrier) { code() }
      case .concurrentPerform: DispatchQueue.concurrentPerform(iterations: 1) { _ in code() }
      case .groupNotification:
        let group = DispatchGroup()
        queue.async(group: group) {}
        group.notify(queue: queue) { code() }
      case .itemNotification:
        let item = DispatchWorkItem {}
        item.notify(queue: queue) { code() }
        queue.async(execute: item)
      case .timerEvent: start(code, on: queue)
      case .timerCancellation:
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setCancelHandler { code() }
        timer.activate()
        timer.cancel()
      case .timerOfRunLoop:
        RunLoop.main.add(Timer(timeInterval: 1, repeats: false) { _ in code() }, forMode: .default)
      case .blockOfRunLoop: RunLoop.main.perform { code() }
      case .completionBlock:
        let operation = BlockOperation {}
        operation.completionBlock = { code() }
        OperationQueue().addOperation(operation)
      #if os(Linux)
        case .asyncAndWait: QueueExplorationTests.asyncAndWait(queue, code)
      #endif
      }
    }

    /// Runs code once, in the event handler of a timer.
    private func start(_ code: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + 1)
      timer.setEventHandler {
        // The handler holds its timer.
        timer.cancel()
        code()
      }
      timer.activate()
    }
  }

  @Test(.needs(.operations), .needs(.clocks), arguments: Way.allCases)
  func `S9 a failure in a block is its schedule's, and the block knows its test`(way: Way)
    async throws
  {
    try way.need?.orCancel()
    let test = try #require(Test.current)
    let line = #line + 4
    let body = { @Sendable () async throws -> Void in
      let isOvertaken = await spendTwice() < 0
      way.run {
        #expect(!isOvertaken || Test.current?.id != test.id)
      }
      await settle()
    }
    let found = await failures { try? await ExploredTrait.explored.explore(body, for: test) }
    #expect(found.map(\.line) == [line, test.sourceLocation.line])

    let replay = found.last?.replay ?? ""
    let again = await failures {
      try? await ExploredTrait.explored(replay: replay).explore(body, for: test)
    }
    #expect(again.map(\.line) == found.map(\.line))
    #expect(again.last?.replay == replay)
  }

  @Test(.needs(.operations), .needs(.clocks), arguments: Way.allCases)
  func `S9 a failure in a block is its test's, however the test is simulated`(way: Way)
    async throws
  {
    try way.need?.orCancel()
    let test = try #require(Test.current)
    let line = #line + 3
    let body = { @Sendable () async throws -> Void in
      way.run {
        #expect(Test.current?.id != test.id)
        Issue.record("recorded")
      }
      await settle()
    }
    let function = await failures { _ = try? await simulate(body) }
    let trait = await failures { try? await SimulatedTrait.simulated.simulate(body, for: test) }
    #expect(function.map(\.line) == [line, line + 1])
    #expect(trait.map(\.line) == [line, line + 1])
    let explored = await failures { _ = try? await explore(body) }
    #expect(explored.map(\.line) == [line, line + 1, #line - 1])
  }

  @Test(.needs(.operations), .needs(.clocks))
  func `S9 a block that is left over fails its test as well`() async throws {
    let test = try #require(Test.current)
    let line = #line + 2
    let body = { @Sendable () async throws -> Void in
      DispatchQueue.global().async { #expect(Test.current?.id != test.id) }
    }
    let function = await failures { _ = try? await simulate(body) }
    let trait = await failures { try? await SimulatedTrait.simulated.simulate(body, for: test) }
    #expect([function, trait].map { $0.map(\.line) } == [[line], [line]])
  }

  // In a process of its own, because the deadlocked job keeps the main actor.
  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `S7 a deadlock that keeps the main actor is told at once, with what replays it`() async {
    await #expect(processExitsWith: .success) {
      let found = await failures {
        _ = try? await explore(schedules: 3) {
          await Task(name: "main") { @MainActor in syncWithMainQueue() }.value
        }
      }
      #expect(found.count == 2)
      #expect(found.first?.text.contains("the queue com.apple.main-thread") == true)
      #expect(found.last?.text.hasPrefix("Schedule 1 of 3 fails: a deadlock") == true)
      #expect(found.last?.replay != nil)
    }
  }

  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `S7 a run of exploreCancellation that keeps the main actor is the last`() async {
    await #expect(processExitsWith: .success) {
      let runs = Log<Int>()
      let found = await failures {
        _ = try? await exploreCancellation {
          runs.append(1)
          await Task(name: "main") { @MainActor in syncWithMainQueue() }.value
        }
      }
      #expect(runs.values.count == 1)
      #expect(found.count == 1)
      #expect(found.first?.text.contains("the queue com.apple.main-thread") == true)
    }
  }

  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `S7 a schedule whose second run keeps the main actor counts once`() async {
    await #expect(processExitsWith: .success) {
      let runs = Log<Int>()
      let found = await failures {
        _ = try? await explore(schedules: 3) {
          runs.append(1)
          if runs.values.count == 1 { throw StaleAnswer() }
          await Task(name: "main") { @MainActor in syncWithMainQueue() }.value
        }
      }
      #expect(runs.values.count == 2)
      #expect(found.first?.text.contains("the queue com.apple.main-thread") == true)
      #expect(
        found.last?.text.hasPrefix(
          "Schedule 1 of 3 fails: the error \"StaleAnswer()\" was thrown") == true)
      #expect(found.last?.text.contains("\n1 schedule ran.") == true)
    }
  }

  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `S7 a job that is left over and keeps the main actor is told at once`() async {
    await #expect(processExitsWith: .success) {
      let found = await failures {
        _ = try? await explore(schedules: 3) {
          Task(name: "main") { @MainActor in syncWithMainQueue() }
        }
      }
      #expect(found.count == 2)
      #expect(found.first?.text.contains("the queue com.apple.main-thread") == true)
      #expect(found.last?.text.hasPrefix("Schedule 1 of 3 fails: ") == true)
      #expect(found.last?.text.contains("1 schedule ran") == true, "\(found)")
    }
  }

  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `S7 a deadlock that its cancellation ends is run again, and shown step by step`() async {
    await #expect(processExitsWith: .success) {
      let found = await failures {
        _ = try? await explore(schedules: 3) {
          let (stream, input) = AsyncStream.makeStream(of: Void.self)
          let gate = DispatchSemaphore(value: 0)
          Task(name: "opens") {
            for await _ in stream {}
            gate.signal()
          }
          await Task(name: "main") { @MainActor in waitOnMainActor(for: gate) }.value
          input.finish()
        }
      }
      #expect(found.last?.text.hasPrefix("Schedule 1 of 3 fails: a deadlock") == true)
      #expect(found.last?.text.contains("Its steps:") == true, "\(found)")
    }
  }

  @Test func `S7 a string replays the failure of two queues`() async {
    let found = await failures {
      _ = try? await explore { if await shownAnswer() != 2 { throw StaleAnswer() } }
    }
    let steps = """
      the error "StaleAnswer()" was thrown. To replay it: explore(replay: "…") { ... }, or in the \
      environment SLEEPLESS_REPLAY=…
      Its steps:
       0 s   the body                  makes queue question 1, queue question 2
           > queue question 2          starts, ends
             queue question 1          starts
             the body                  makes queue com.apple.main-thread
             queue question 1          wakes queue com.apple.main-thread, ends
             queue com.a...main-thread starts, wakes the body, ends
      """
    #expect(found.map(\.toTheBody) == ["Schedule * of 1000 fails: \(steps)"])

    let again = await failures {
      _ = try? await explore(
        schedules: 3, strategy: .uniform, seed: 9, replay: found.last?.replay ?? ""
      ) {
        if await shownAnswer() != 2 { throw StaleAnswer() }
      }
    }
    #expect(again.map(\.toTheBody) == ["The replayed schedule fails: \(steps)"])
    #expect(again.last?.replay == found.last?.replay)
  }
}

final class QueueExplorationXCTests: FailureCatchingTestCase {
  private func forEachWay(
    _ check: (QueueExplorationTests.Way) async -> Void
  ) async throws {
    try Need.queues.orSkip()
    try Need.operations.orSkip()
    try Need.clocks.orSkip()
    for way in QueueExplorationTests.Way.allCases where way.need?.isMet != false {
      await check(way)
    }
  }

  func testS9AFailureInABlockIsItsSchedules() async throws {
    try await forEachWay { way in
      let line = #line + 4
      let failures = await failures {
        _ = try? await explore(schedules: 20) {
          let isOvertaken = await spendTwice() < 0
          way.run { XCTAssertFalse(isOvertaken) }
          await SleeplessTesting.settle()
        }
      }
      XCTAssertEqual(failures.map(\.line), [line, line - 2], "\(way)")
      let first = "Schedule 1 of 20 fails: a failure at QueueExplorationTests.swift:\(line). "
      XCTAssertEqual(failures.last?.text.hasPrefix(first), true, "\(way)")
    }
  }

  func testS9AFailureInABlockIsItsTests() async throws {
    try await forEachWay { way in
      let failures = await failures {
        try? await simulate {
          way.run { XCTFail("in a block") }
          await SleeplessTesting.settle()
        }
      }
      let expected = Failure("failed - in a block", line: #line - 4)
      XCTAssertEqual(failures, [expected], "\(way)")
    }
  }
}

extension Failure {
  /// The text up to the step that wakes the body: the rest names functions, of which the optimiser leaves fewer. It may
  /// also change in which schedule the bug is found.
  fileprivate var toTheBody: String {
    let text = withoutReplay.text.replacing(#/^Schedule \d+/#, with: "Schedule *")
    let end = text.firstRange(of: "wakes the body, ends")?.upperBound ?? text.endIndex
    return String(text[..<end])
  }
}

private struct StaleAnswer: Error {}

/// Two queues answer; the answer that comes last is shown, whichever was asked for last.
private func shownAnswer() async -> Int {
  let (shown, group) = (Locked(0), DispatchGroup())
  for question in 1...2 {
    DispatchQueue(label: "question \(question)").async(group: group) {
      shown.withLock { $0 = question }
    }
  }
  await withCheckedContinuation { done in group.notify(queue: .main) { done.resume() } }
  return shown.withLock { $0 }
}

/// Not async, so that it may call `sync`.
@MainActor private func syncWithMainQueue() { DispatchQueue.main.sync {} }

@MainActor private func waitOnMainActor(for gate: DispatchSemaphore) { gate.wait() }

#if os(Linux)
  extension QueueExplorationTests {
    /// Swift on Linux does not show this function of C. Its queue is the object that a `DispatchQueue` holds.
    fileprivate static func asyncAndWait(_ queue: DispatchQueue, _ code: () -> Void) {
      let object = Mirror(reflecting: queue).descendant("__wrapped") as! OpaquePointer
      dispatchAsyncAndWait(object, code)
    }
  }

  @_silgen_name("dispatch_async_and_wait")
  private func dispatchAsyncAndWait(_ queue: OpaquePointer, _ block: @convention(block) () -> Void)
#endif
