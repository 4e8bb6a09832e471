// virtual time: what sleeps here does so in simulations
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import Testing

// The examples in the comments of the schedulers that follow real time in production. Here they run in simulations,
// so that no test waits.

@Suite struct LiveSchedulingReference: PrintingSuite {
  let log = Locked<[String]>([])

  @Test func `a dispatch queue runs work in its order`() {
    let queue = DispatchQueue(label: "saving")
    queue.async { print("first") }
    queue.async { print("second") }
    queue.sync {}  // by now both have run, in this order
    #expect(printed == ["first", "second"])
  }

  @Test(.simulated, .needs(.queues), .needs(.clocks))
  func `a dispatch queue runs work after a delay`() async throws {
    let queue = DispatchQueue(label: "toasts")
    queue.schedule(after: .seconds(2)) { print("hidden") }
    try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
    #expect(printed == ["hidden"])
  }

  @Test(.simulated, .needs(.queues), .needs(.clocks))
  func `a dispatch queue repeats work until it is cancelled`() async throws {
    let queue = DispatchQueue(label: "polling")
    let polling = queue.schedule(after: .zero, every: .seconds(10)) { print("poll") }
    try await Task.sleep(for: .seconds(15))  // prints poll twice: at once and after 10 seconds
    polling.cancel()
    try await Task.sleep(for: .seconds(60))
    #expect(printed == ["poll", "poll"])
  }

  @MainActor @Test func `work runs at once on the main thread`() {
    let scheduler = MainThreadScheduler()
    scheduler.async { print("work") }  // on the main thread prints work at once
    print("after the call")  // prints "after the call"
    #expect(printed == ["work", "after the call"])
  }

  @MainActor @Test func `sync on the main thread does not deadlock`() {
    let sum = MainThreadScheduler().sync { 1 + 2 }  // on the main thread, a plain call
    print(sum)  // prints 3
    #expect(printed == ["3"])
  }

  @Test(.simulated, .needs(.queues), .needs(.clocks))
  func `delayed work of the main thread`() async throws {
    let scheduler = MainThreadScheduler()
    scheduler.schedule(after: .seconds(2)) { print("hidden") }
    try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
    #expect(printed == ["hidden"])
  }

  @Test(.simulated, .needs(.queues), .needs(.clocks))
  func `repeating work of the main thread`() async throws {
    let scheduler = MainThreadScheduler()
    let polling = scheduler.schedule(after: .zero, every: .seconds(10)) { print("poll") }
    try await Task.sleep(for: .seconds(15))  // prints poll twice: at once and after 10 seconds
    polling.cancel()
    try await Task.sleep(for: .seconds(60))
    #expect(printed == ["poll", "poll"])
  }

  @Test func `an operation queue that runs one operation at a time keeps the order`() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.async { print("first") }
    queue.async { print("second") }
    queue.waitUntilAllOperationsAreFinished()  // by now both have run, in this order
    #expect(printed == ["first", "second"])
  }

  @Test func `sync on an operation queue returns the result`() {
    let sum = OperationQueue().sync { 1 + 2 }
    print(sum)  // prints 3
    #expect(printed == ["3"])
  }

  @Test(.simulated, .needs(.queues), .needs(.operations), .needs(.clocks))
  func `an operation queue runs work after a delay`() async throws {
    let queue = OperationQueue()
    queue.schedule(after: .seconds(2)) { print("hidden") }
    try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
    #expect(printed == ["hidden"])
  }

  @Test(.simulated, .needs(.queues), .needs(.operations), .needs(.clocks))
  func `an operation queue repeats work until it is cancelled`() async throws {
    let queue = OperationQueue()
    let polling = queue.schedule(after: .zero, every: .seconds(10)) { print("poll") }
    try await Task.sleep(for: .seconds(15))  // prints poll twice: at once and after 10 seconds
    polling.cancel()
    try await Task.sleep(for: .seconds(60))
    #expect(printed == ["poll", "poll"])
  }

  @Test(.simulated, .needs(.runLoops)) func `a run loop runs work later`() async throws {
    let scheduler = RunLoopScheduler(.main)
    scheduler.async { print("work") }
    print("called")  // prints called, and in the next iteration of the run loop, work
    try await Task.sleep(for: .seconds(1))
    #expect(printed == ["called", "work"])
  }

  @Test func `sync on the run loop's own thread is a call`() {
    let scheduler = RunLoopScheduler(.current)
    let sum = scheduler.sync { 1 + 2 }  // on its own thread, a plain call
    print(sum)  // prints 3
    #expect(printed == ["3"])
  }

  @Test(.simulated, .needs(.queues), .needs(.runLoops), .needs(.clocks))
  func `a run loop runs work after a delay`() async throws {
    let scheduler = RunLoopScheduler(.main)
    scheduler.schedule(after: .seconds(2)) { print("hidden") }
    try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
    #expect(printed == ["hidden"])
  }

  @Test(.simulated, .needs(.queues), .needs(.runLoops), .needs(.clocks))
  func `a run loop repeats work until it is cancelled`() async throws {
    let scheduler = RunLoopScheduler(.main)
    let polling = scheduler.schedule(after: .zero, every: .seconds(10)) { print("poll") }
    try await Task.sleep(for: .seconds(15))  // prints poll twice: at once and after 10 seconds
    polling.cancel()
    try await Task.sleep(for: .seconds(60))
    #expect(printed == ["poll", "poll"])
  }

  @Test(.simulated, .needs(.capture))
  func `a timer skips the ticks that pass in the loop's body`() async throws {
    for try await elapsed in ContinuousClock().timer(every: .seconds(1)) {
      print(elapsed)  // prints 1.0 seconds, then 3.0 seconds: the body was busy at the second tick
      if elapsed > .seconds(1) { break }
      try await Task.sleep(for: .milliseconds(1500))
    }
    #expect(printed == ["1.0 seconds", "3.0 seconds"])
  }
}
