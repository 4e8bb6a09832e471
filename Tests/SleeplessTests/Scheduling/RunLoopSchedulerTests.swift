import Foundation
import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite(.timeLimit(.minutes(10))) struct RunLoopSchedulerTests {
  private let log = Log<String>()

  @Test func `work wakes a sleeping run loop on another thread and runs there, in order`() async {
    let thread = await RunLoopThread()
    defer { thread.stop() }
    let loopThread = thread.scheduler.sync { currentThreadID() }
    for name in ["a", "b", "c"] {
      thread.scheduler.async { [log] in
        log.append(currentThreadID() == loopThread ? name : "elsewhere")
      }
    }
    await withCheckedContinuation { done in thread.scheduler.async { done.resume() } }
    #expect(log.values == ["a", "b", "c"])
  }

  @Test func `sync from another thread waits, returns and throws`() async {
    let thread = await RunLoopThread()
    defer { thread.stop() }
    let scheduler = thread.scheduler
    await onThread { [log] in
      // The run loop releases a closure a moment after it has run.
      for number in 0..<500 where scheduler.sync(execute: { number }) != number { return }
      log.append("\(scheduler.sync { 42 })")
      #expect(throws: CancellationError.self) { try scheduler.sync { throw CancellationError() } }
    }
    #expect(log.values == ["42"])
  }

  @Test func `sync on the run loop's own thread runs at once`() async {
    let thread = await RunLoopThread()
    defer { thread.stop() }
    let scheduler = thread.scheduler
    scheduler.async { [log] in
      log.append("before")
      log.append(scheduler.sync { "within" })
      log.append("after")
    }
    await withCheckedContinuation { done in scheduler.async { done.resume() } }
    #expect(log.values == ["before", "within", "after"])
  }

  @Test func `delayed and repeating work runs in the run loop until cancelled`() async {
    let thread = await RunLoopThread()
    defer { thread.stop() }
    let scheduler = thread.scheduler
    let loopThread = scheduler.sync { currentThreadID() }
    let start = scheduler.now
    await withCheckedContinuation { done in
      scheduler.async { [log] in
        let token = Locked<(any CancellableType)?>(nil)
        let item = scheduler.schedule(after: .milliseconds(1), every: .microseconds(100)) {
          log.append(currentThreadID() == loopThread ? "tick" : "elsewhere")
          guard log.values.count == 3 else { return }
          token.withLock { $0 }?.cancel()
          // By then a fourth tick would have been due for a long time.
          scheduler.schedule(after: .milliseconds(1)) { done.resume() }
        }
        token.withLock { $0 = item }
      }
    }
    #expect(log.values == ["tick", "tick", "tick"])
    #expect(scheduler.now - start >= .milliseconds(2))
  }

  @Test func `T8 work cancelled in the run loop before it is due does not run`() async {
    let thread = await RunLoopThread()
    defer { thread.stop() }
    let scheduler = thread.scheduler
    await withCheckedContinuation { done in
      scheduler.async { [log] in
        let token = scheduler.schedule(after: .zero) { log.append("cancelled") }
        token.cancel()
        scheduler.schedule(after: .milliseconds(1)) { done.resume() }
      }
    }
    #expect(log.values == [])
  }

  @Test func `P1 receive(on:) delivers in a run loop, in order`() async {
    let values = await onThread { [log] in
      let subject = EventSubject<Int, Oops>()
      let token = subject.receive(on: RunLoop.current).sink(into: log, as: "")
      for number in 1...3 { subject.send(number) }
      subject.send(completion: .finished)
      log.append("sent")
      while log.values.last != "." {
        _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      }
      withExtendedLifetime(token) {}
      return log.values
    }
    #expect(values == ["sent", "1", "2", "3", "."])
  }

  @Test func `P4 receive(on:) delivers nothing in a run loop after the cancellation`() async {
    let values = await onThread { [log] in
      let subject = EventSubject<Int, Oops>()
      let token = subject.receive(on: RunLoop.current).sink(into: log, as: "")
      subject.send(1)
      token.cancel()
      RunLoop.current.scheduler.async { log.append("later") }
      while log.values.isEmpty { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      return log.values
    }
    #expect(values == ["later"])
  }

  // MARK: Operators that take a run loop as Combine's do

  enum Operator: CaseIterable {
    case debounce, debounceSeconds, throttle, throttleSeconds, delay, delaySeconds

    func apply(
      to publisher: some PublisherType<Int, Oops>, _ runLoop: RunLoop
    ) -> ErasedPublisher<Int, Oops> {
      switch self {
      case .debounce: publisher.debounce(for: .milliseconds(1), scheduler: runLoop)
      case .debounceSeconds: publisher.debounce(for: 0.001, scheduler: runLoop)
      case .throttle: publisher.throttle(for: .milliseconds(1), scheduler: runLoop, latest: true)
      case .throttleSeconds: publisher.throttle(for: 0.001, scheduler: runLoop, latest: true)
      case .delay: publisher.delay(for: .milliseconds(1), scheduler: runLoop)
      case .delaySeconds: publisher.delay(for: 0.001, scheduler: runLoop)
      }
    }

    /// What comes of 1, 2 and 3, sent at once.
    var values: [String] {
      switch self {
      case .debounce, .debounceSeconds, .throttle, .throttleSeconds: ["3"]
      case .delay, .delaySeconds: ["1", "2", "3"]
      }
    }
  }

  @Test(arguments: Operator.allCases)
  func `operators that take time deliver in a run loop`(operator: Operator) async {
    let values = await onThread { [log] in
      let subject = EventSubject<Int, Oops>()
      let token = `operator`.apply(to: subject, .current).sink(into: log, as: "")
      for number in 1...3 { subject.send(number) }
      log.append("sent")
      while log.values.last != "3" {
        _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      }
      subject.send(completion: .finished)
      while log.values.last != "." {
        _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      }
      withExtendedLifetime(token) {}
      return log.values
    }
    #expect(values == ["sent"] + `operator`.values + ["."])
  }

  @Test(arguments: Operator.allCases)
  func `P4 a cancelled operator delivers nothing in a run loop`(operator: Operator) async {
    let values = await onThread { [log] in
      let subject = EventSubject<Int, Oops>()
      let token = `operator`.apply(to: subject, .current).sink(into: log, as: "")
      subject.send(1)
      token.cancel()
      RunLoop.current.scheduler.schedule(after: .milliseconds(1)) { log.append("later") }
      while log.values.isEmpty { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      return log.values
    }
    #expect(values == ["later"])
  }

  @Test func `an operation queue is a scheduler of operators itself`() async {
    let queue = OperationQueue()
    let subject = EventSubject<Int, Never>()
    let debounced = subject.debounce(for: .milliseconds(1), scheduler: queue)
    var values = debounced.delay(for: 0.001, scheduler: queue)
      .throttle(for: 0.001, scheduler: queue, latest: true)
      .receive(on: queue).values.makeAsyncIterator()
    subject.send(1)
    #expect(await values.next() == 1)
    subject.send(completion: .finished)
    #expect(await values.next() == nil)
  }
}
