// virtual time: what sleeps here does so in simulations
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import Testing

// The examples in the comments of the operators that take a queue, a scheduler or a run loop.

@Suite struct TimeOperatorsReference: PrintingSuite {
  let log = Locked<[String]>([])

  @Test func `events come on a queue`() {
    let scheduler = TestScheduler()
    let names = EventSubject<String, Never>()
    let token = names.receive(on: scheduler).sink { print($0) }
    names.send("Ada")  // prints nothing
    scheduler.advance()  // prints Ada
    #expect(printed == ["Ada"])
    token.cancel()
  }

  @Test func `the subscription takes place on a queue, and events do not go through it`() {
    let scheduler = TestScheduler()
    let names = StateSubject<String, Never>("Ada")
    let token = names.subscribe(on: scheduler).sink { print($0) }  // prints nothing
    scheduler.advance()  // prints Ada
    names.value = "Tom"  // prints Tom, at once
    #expect(printed == ["Ada", "Tom"])
    token.cancel()
  }

  @Test func `the last of three values arrives`() {
    let scheduler = TestScheduler()
    let query = EventSubject<String, Never>()
    let token = query.debounce(for: .milliseconds(300), scheduler: scheduler).sink { print($0) }
    for text in ["s", "sw", "swift"] { query.send(text) }
    scheduler.advance(by: .milliseconds(299))  // prints nothing
    scheduler.advance(by: .milliseconds(1))  // prints swift
    #expect(printed == ["swift"])
    token.cancel()
  }

  @Test func `the last of three values arrives after a number of seconds`() {
    let scheduler = TestScheduler()
    let query = EventSubject<String, Never>()
    let token = query.debounce(for: 0.3, scheduler: scheduler).sink { print($0) }
    for text in ["s", "sw", "swift"] { query.send(text) }
    scheduler.advance(by: .milliseconds(300))  // prints swift
    #expect(printed == ["swift"])
    token.cancel()
  }

  @Test func `the latest value of an interval arrives at its end`() {
    let scheduler = TestScheduler()
    let places = EventSubject<Int, Never>()
    let slow = places.throttle(for: .seconds(1), scheduler: scheduler, latest: true)
    let token = slow.sink { print($0) }
    places.send(1)
    scheduler.advance()  // prints 1
    for place in [2, 3] { places.send(place) }
    scheduler.advance(by: .seconds(1))  // prints 3; with latest: false, it would be 2
    #expect(printed == ["1", "3"])
    token.cancel()
  }

  @Test func `the first value of an interval of a number of seconds arrives`() {
    let scheduler = TestScheduler()
    let places = EventSubject<Int, Never>()
    let slow = places.throttle(for: 0.5, scheduler: scheduler, latest: false)
    let token = slow.sink { print($0) }
    places.send(1)
    scheduler.advance()  // prints 1
    for place in [2, 3] { places.send(place) }
    scheduler.advance(by: .milliseconds(500))  // prints 2; with latest: true, it would be 3
    #expect(printed == ["1", "2"])
    token.cancel()
  }

  @Test(arguments: [true, false])
  func `of values that come before the first delivery, one arrives`(latest: Bool) {
    let scheduler = TestScheduler()
    let places = EventSubject<Int, Never>()
    let slow = places.throttle(for: .seconds(1), scheduler: scheduler, latest: latest)
    let token = slow.sink { print($0) }
    for place in [1, 2] { places.send(place) }
    scheduler.run()
    #expect(printed == [latest ? "2" : "1"])
    token.cancel()
  }

  @Test func `events are late by the delay, and the end as well`() {
    let scheduler = TestScheduler()
    let names = EventSubject<String, Never>()
    let token = names.delay(for: .seconds(2), scheduler: scheduler)
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    names.send("Ada")
    names.send(completion: .finished)
    scheduler.advance(by: .seconds(1))  // prints nothing
    scheduler.advance(by: .seconds(1))  // prints Ada, then finished
    #expect(printed == ["Ada", "finished"])
    token.cancel()
  }

  @Test func `events are late by a number of seconds`() {
    let scheduler = TestScheduler()
    let names = EventSubject<String, Never>()
    let token = names.delay(for: 0.5, scheduler: scheduler).sink { print($0) }
    names.send("Ada")
    scheduler.advance(by: .milliseconds(500))  // prints Ada
    #expect(printed == ["Ada"])
    token.cancel()
  }

  @Test func `silence after a value is an error`() {
    let scheduler = TestScheduler()
    let pages = EventSubject<String, LoadError>()
    let timed = pages.timeout(.seconds(5), scheduler: scheduler, customError: { .offline })
    let token = timed.replaceError(with: "no answer").sink { print($0) }
    scheduler.advance(by: .seconds(4))
    pages.send("page")  // the interval starts again
    scheduler.advance(by: .seconds(4))  // prints page
    scheduler.advance(by: .seconds(1))  // prints "no answer"
    #expect(printed == ["page", "no answer"])
    token.cancel()
  }

  @Test func `silence without an error given is the end`() {
    let scheduler = TestScheduler()
    let pages = EventSubject<String, Never>()
    let token = pages.timeout(0.5, scheduler: scheduler)
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    scheduler.advance(by: .milliseconds(500))  // prints finished
    #expect(printed == ["finished"])
    token.cancel()
  }
}

@Suite(.needs(.runLoops), .needs(.queues), .needs(.clocks))
struct RunLoopOperatorsReference: PrintingSuite {
  let log = Locked<[String]>([])

  @Test(.simulated) func `events come in the main run loop`() async throws {
    let names = EventSubject<String, Never>()
    let token = names.receive(on: RunLoop.main).sink { print($0) }
    names.send("Ada")
    print("sent")  // prints sent, and in the next iteration of the run loop, Ada
    try await Task.sleep(for: .seconds(1))
    #expect(printed == ["sent", "Ada"])
    token.cancel()
  }

  @Test(.simulated) func `the last of three values arrives in a run loop`() async throws {
    let query = EventSubject<String, Never>()
    let quiet = query.debounce(for: .milliseconds(300), scheduler: RunLoop.main)
    let token = quiet.sink { print($0) }
    for text in ["s", "sw", "swift"] { query.send(text) }
    try await Task.sleep(for: .milliseconds(400))  // prints swift
    #expect(printed == ["swift"])
    token.cancel()
  }

  @Test(.simulated) func `the last of three values arrives after seconds`() async throws {
    let query = EventSubject<String, Never>()
    let token = query.debounce(for: 0.3, scheduler: RunLoop.main).sink { print($0) }
    for text in ["s", "sw", "swift"] { query.send(text) }
    try await Task.sleep(for: .milliseconds(400))  // prints swift
    #expect(printed == ["swift"])
    token.cancel()
  }

  @Test(.simulated) func `one value per interval arrives in a run loop`() async throws {
    let places = EventSubject<Int, Never>()
    let slow = places.throttle(for: .seconds(1), scheduler: RunLoop.main, latest: true)
    let token = slow.sink { print($0) }
    places.send(1)
    try await Task.sleep(for: .milliseconds(500))  // prints 1
    for place in [2, 3] { places.send(place) }
    try await Task.sleep(for: .seconds(1))  // prints 3
    #expect(printed == ["1", "3"])
    token.cancel()
  }

  @Test(.simulated) func `one value per interval of seconds arrives`() async throws {
    let places = EventSubject<Int, Never>()
    let slow = places.throttle(for: 0.5, scheduler: RunLoop.main, latest: true)
    let token = slow.sink { print($0) }
    places.send(1)
    try await Task.sleep(for: .milliseconds(250))  // prints 1
    for place in [2, 3] { places.send(place) }
    try await Task.sleep(for: .seconds(1))  // prints 3
    #expect(printed == ["1", "3"])
    token.cancel()
  }

  @Test(.simulated) func `events are late in a run loop`() async throws {
    let names = EventSubject<String, Never>()
    let token = names.delay(for: .seconds(2), scheduler: RunLoop.main).sink { print($0) }
    names.send("Ada")
    try await Task.sleep(for: .seconds(1))  // prints nothing
    try await Task.sleep(for: .seconds(2))  // prints Ada
    #expect(printed == ["Ada"])
    token.cancel()
  }

  @Test(.simulated) func `events are late by seconds in a run loop`() async throws {
    let names = EventSubject<String, Never>()
    let token = names.delay(for: 0.5, scheduler: RunLoop.main).sink { print($0) }
    names.send("Ada")
    try await Task.sleep(for: .seconds(1))  // prints Ada
    #expect(printed == ["Ada"])
    token.cancel()
  }
}
