// virtual time: all sleeps are in simulations
#if os(Linux)
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// Operations that go on when their `start` has returned, as apps write them (S10).
  @Suite(.needs(.operations), .needs(.clocks), .timeLimit(.minutes(10)))
  struct AsynchronousOperationTests {
    // These two are synchronous because asynchronous code must not call what they call.

    private static func wait(for operation: Operation) { operation.waitUntilFinished() }

    private static func waitForAll(of queue: OperationQueue) {
      queue.waitUntilAllOperationsAreFinished()
    }

    private typealias Way = Download.Way

    // MARK: Order

    @Test(arguments: Way.allCases)
    fileprivate func `S10 operations run side by side, and each completes when it says so`(
      way: Download.Way
    ) async throws {
      let log = try await log { log in
        let queue = OperationQueue()
        for (name, seconds) in [("slow", 3), ("quick", 2)] {
          let operation = Download(name, seconds: seconds, way, log)
          operation.completionBlock = { log.write("\(name) is complete") }
          queue.addOperation(operation)
        }
        Self.waitForAll(of: queue)
        #expect(queue.operationCount == 0)
      }
      #expect(
        log == [
          "0 slow begins", "0 quick begins", "2 quick ends", "2 quick is complete", "3 slow ends",
          "3 slow is complete",
        ])
    }

    @Test(arguments: Way.allCases)
    fileprivate func `S10 an operation waits for the end of another one, not of its start`(
      way: Download.Way
    ) async throws {
      let log = try await log { log in
        let queue = OperationQueue()
        let (first, second) = (Download("first", way, log), Download("second", way, log))
        second.addDependency(first)
        queue.addOperation(second)
        queue.addOperation(first)
        Self.wait(for: second)
        log.write("waited")
      }
      #expect(
        log == ["0 first begins", "2 first ends", "2 second begins", "4 second ends", "4 waited"])
    }

    @Test(arguments: Way.allCases)
    fileprivate func `S10 a queue with one operation at a time waits for the end of each`(
      way: Download.Way
    ) async throws {
      let log = try await log { log in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        for name in ["one", "two"] { queue.addOperation(Download(name, way, log)) }
        queue.addOperation { log.write("block") }
        Self.waitForAll(of: queue)
        log.write("waited")
      }
      #expect(
        log == [
          "0 one begins", "2 one ends", "2 two begins", "4 two ends", "4 block", "4 waited",
        ])
    }

    @Test(arguments: Way.allCases)
    fileprivate func `S10 a barrier waits for the end of an operation`(way: Download.Way)
      async throws
    {
      let log = try await log { log in
        let queue = OperationQueue()
        queue.addOperation(Download("before", way, log))
        queue.addBarrierBlock { log.write("barrier") }
        queue.addOperation(Download("after", way, log))
      }
      #expect(
        log == ["0 before begins", "2 before ends", "2 barrier", "2 after begins", "4 after ends"])
    }

    @Test(arguments: Way.allCases) @available(macOS 15, *)
    fileprivate func `S8 both orders of two operations that end at one time are explored`(
      way: Download.Way
    ) async {
      let (_, ends) = await explored(.exhaustive, schedules: 2_000) {
        let log = QueueLog()
        let queue = OperationQueue()
        for name in ["one", "two"] { queue.addOperation(Download(name, way, log)) }
        await Simulation.current!.settle()
        return log.values.suffix(2)
      }
      #expect(Set(ends) == [["2 one ends", "2 two ends"], ["2 two ends", "2 one ends"]])
    }

    // MARK: Cancellation

    @Test(arguments: Way.allCases)
    fileprivate func
      `S10 an operation that is cancelled before its turn ends in it, and does nothing`(
        way: Download.Way
      ) async throws
    {
      let log = try await log { log in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let cancelled = Download("cancelled", way, log)
        cancelled.completionBlock = { log.write("cancelled one is complete") }
        queue.addOperation(Download("runs", way, log))
        queue.addOperation(cancelled)
        try await Task.sleep(for: .seconds(1))
        cancelled.cancel()
        Self.wait(for: cancelled)
        #expect(cancelled.isFinished)
      }
      #expect(log == ["0 runs begins", "2 runs ends", "2 cancelled one is complete"])
    }

    @Test(arguments: Way.allCases)
    fileprivate func `S10 an operation may end when it is cancelled, and the next one begins then`(
      way: Download.Way
    ) async throws {
      let log = try await log { log in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let (first, second) = (Download("first", way, log), Download("second", way, log))
        queue.addOperation(first)
        queue.addOperation(second)
        try await Task.sleep(for: .seconds(1))
        first.cancel()
        Self.wait(for: first)
        log.write("waited")
      }
      #expect(log.prefix(2) == ["0 first begins", "1 first is cancelled"])
      #expect(log.dropFirst(2).sorted() == ["1 second begins", "1 waited", "3 second ends"])
    }

    // MARK: Deadlocks

    @Test func `S6 an operation that never says that it has finished is a deadlock`() async {
      let log = QueueLog()
      let outcome = await Simulation.run {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.addOperation(Download("endless", nil, log))
        queue.addOperation { log.write("next") }
        Self.waitForAll(of: queue)
      }
      #expect(outcome.report.ending.name == "deadlock")
      #expect(outcome.report.body?.text == "0 waiting for a condition since 0.0 seconds")
      #expect(log.values == ["0 endless begins"])
    }

    @Test func `an operation that never says that it has finished keeps no test from its end`()
      async
    {
      let log = QueueLog()
      let outcome = await Simulation.run {
        let queue = OperationQueue()
        queue.addOperation(Download("endless", nil, log))
        try await Task.sleep(for: .seconds(1))
      }
      #expect(outcome.report.ending.name == "finished")
      #expect(outcome.report.unfinishedTasks.map(\.text) == [])
      #expect(log.values == ["0 endless begins"])
    }

    // MARK: Queues below

    /// What three operations of a second, and a block of the queue below, do there.
    private static func events(on underlying: DispatchQueue) async throws -> [String] {
      try await log { log in
        let queue = OperationQueue()
        queue.underlyingQueue = underlying
        for name in ["one", "two"] {
          queue.addOperation {
            dispatchPrecondition(condition: .onQueue(underlying))
            Thread.sleep(forTimeInterval: 1)
            log.write(name)
          }
        }
        await Task.yield()
        underlying.async { log.write("block") }
        Self.waitForAll(of: queue)
        log.write("waited")
      }
    }

    @Test func `S10 a serial queue below runs operations and blocks one after another`()
      async throws
    {
      let log = try await Self.events(on: DispatchQueue(label: "com.example.serial"))
      #expect(log.prefix(2) == ["1 one", "2 two"])
      #expect(log.dropFirst(2).sorted() == ["2 block", "2 waited"])
    }

    @Test func `S10 a concurrent queue below runs operations and blocks side by side`() async throws
    {
      let log = try await Self.events(
        on: DispatchQueue(label: "com.example.concurrent", attributes: .concurrent))
      #expect(log == ["0 block", "1 one", "1 two", "1 waited"])
    }

    @Test func `S10 a queue below that targets the main queue runs operations on the main actor`()
      async throws
    {
      let targeting = DispatchQueue(label: "com.example.targeting", target: .main)
      let events = try await Self.events(on: targeting)
      #expect(events.prefix(2) == ["1 one", "2 two"])
      #expect(events.dropFirst(2).sorted() == ["2 block", "2 waited"])
      let isOnMain = try await log { log in
        let queue = OperationQueue()
        queue.underlyingQueue = targeting
        queue.addOperation { MainActor.assumeIsolated { log.write("main") } }
      }
      #expect(isOnMain == ["0 main"])
    }

    @Test func `S10 a barrier of the queue below waits for operations, and they wait for it`()
      async throws
    {
      let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
      let log = try await log { log in
        let queue = OperationQueue()
        queue.underlyingQueue = concurrent
        queue.addOperation {
          Thread.sleep(forTimeInterval: 1)
          log.write("before")
        }
        await Task.yield()
        concurrent.async(flags: .barrier) {
          Thread.sleep(forTimeInterval: 1)
          log.write("barrier")
        }
        queue.addOperation { log.write("after") }
      }
      #expect(log == ["1 before", "2 barrier", "2 after"])
    }

    @Test(arguments: Way.allCases)
    fileprivate func `S10 operations that outlast their start leave the serial queue below free`(
      way: Download.Way
    ) async throws {
      let log = try await log { log in
        let (queue, serial) = (OperationQueue(), DispatchQueue(label: "com.example.serial"))
        queue.underlyingQueue = serial
        for name in ["one", "two"] { queue.addOperation(Download(name, way, log)) }
        // An operation queue does not keep the queue below it.
        await Simulation.current!.settle()
        withExtendedLifetime(serial) {}
      }
      #expect(log == ["0 one begins", "0 two begins", "2 one ends", "2 two ends"])
    }
  }

  /// Takes two seconds after its `start` has returned, or for ever.
  private final class Download: Operation, @unchecked Sendable {
    // Unchecked because the class below it is; its own variables have locks.

    /// What it does meanwhile.
    enum Way: CaseIterable { case delayedBlock, task }

    private enum Phase { case waiting, executing, finished }

    private let title: String
    private let seconds: Int
    private let way: Way?
    private let log: QueueLog
    private let phase = Locked(Phase.waiting)
    private let task = Locked<Task<Void, any Error>?>(nil)

    init(_ title: String, seconds: Int = 2, _ way: Way?, _ log: QueueLog) {
      (self.title, self.seconds, self.way, self.log) = (title, seconds, way, log)
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { phase.withLock { $0 == .executing } }
    override var isFinished: Bool { phase.withLock { $0 == .finished } }

    override func start() {
      if isCancelled { return finish() }
      willChangeValue(for: \.isExecuting)
      phase.withLock { $0 = .executing }
      didChangeValue(for: \.isExecuting)
      log.write("\(title) begins")
      switch way {
      case .delayedBlock:
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { self.end("ends") }
      case .task:
        let task = Task {
          try await Task.sleep(for: .seconds(seconds))
          end("ends")
        }
        self.task.withLock { $0 = task }
      case nil: break
      }
    }

    override func cancel() {
      super.cancel()
      task.withLock { $0 }?.cancel()
      end("is cancelled")
    }

    /// Ends it, if it runs.
    private func end(_ event: String) {
      guard isExecuting else { return }
      log.write("\(title) \(event)")
      finish()
    }

    private func finish() {
      willChangeValue(for: \.isExecuting)
      willChangeValue(for: \.isFinished)
      phase.withLock { $0 = .finished }
      didChangeValue(for: \.isExecuting)
      didChangeValue(for: \.isFinished)
    }
  }
#endif
