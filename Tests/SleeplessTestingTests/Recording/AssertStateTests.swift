import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

/// A screen whose state is published, and changed on the main actor.
@MainActor private final class ScreenModel {
  let states = StateSubject<Screen, Never>(.initial)

  var state: Screen { states.value }

  func load() async {
    states.value = .loading
    await Task.detached {}.value
    states.value = .loaded("Ada")
  }
}

@Suite struct AssertStateTests {
  private let log = Log<String>()

  @Test func `the parts run in order, and exactly the values are handed over`() {
    let subject = StateSubject<Int, Never>(1)
    AssertState().assert(
      when: {
        log.append("when")
        subject.value = 2
        subject.value = 3
      },
      type: Int.self,
      publisher: subject.map { [log] value in
        log.append("subscribed or sent \(value)")
        return value
      },
      initialAssertions: { log.append("initial") },
      valuesAssertions: { log.append("values \($0)") })
    #expect(
      log.values == [
        "initial", "subscribed or sent 1", "when", "subscribed or sent 2", "subscribed or sent 3",
        "values [1, 2, 3]",
      ])
  }

  @Test func `a publisher that ends with its last value has sent enough`() {
    let subject = StateSubject<Int, Never>(1)
    AssertState().assert(
      when: { subject.send(completion: .finished) }, type: Int.self, publisher: subject,
      valuesLimit: 1, valuesAssertions: { #expect($0 == [1]) })
  }

  @MainActor
  @Test func `W1 in an async test the values are waited for`() async {
    let model = ScreenModel()
    await AssertState().assert(
      when: {
        Task { await model.load() }
      },
      type: Screen.self, publisher: model.states,
      initialAssertions: { #expect(model.state == .initial) },
      valuesAssertions: { log.append("\($0 == [.initial, .loading, .loaded("Ada")])") })
    #expect(log.values == ["true"])
  }

  @MainActor
  @Test func `an async action is run to its end`() async {
    let model = ScreenModel()
    await AssertState().assert(
      when: { await model.load() }, type: Screen.self, publisher: model.states,
      valuesAssertions: { log.append("\($0 == [.initial, .loading, .loaded("Ada")])") })
    #expect(log.values == ["true"])
  }

  @Test func `values in virtual time are there without waiting`() {
    let scheduler = TestScheduler()
    let subject = StateSubject<Int, Never>(0)
    AssertState().assert(
      when: {
        scheduler.schedule(after: .seconds(60)) { subject.value = 1 }
        scheduler.run()
      },
      type: Int.self, publisher: subject, valuesLimit: 2,
      valuesAssertions: { #expect($0 == [0, 1]) })
  }

  @Test func `the assertions do not run on too few values`() async {
    let failures = await failures {
      await HangTimeout.shortly {
        await AssertState().assert(
          when: {}, type: Int.self, publisher: StateSubject<Int, Never>(0),
          valuesAssertions: { _ in log.append("ran") })
      }
    }
    #expect(failures.count == 1)
    #expect(log.values == [])
  }

  @Test func `a publisher that is released releases everything`() {
    weak var released: EventSubject<Int, Never>?
    do {
      let subject = EventSubject<Int, Never>()
      released = subject
      AssertState().assert(
        when: { subject.send(1) }, type: Int.self, publisher: subject, valuesLimit: 1,
        valuesAssertions: { _ in })
      #expect(subject.subscriberCount == 1)
    }
    #expect(released == nil)
  }

  @Test func `at the known end of a test, the subscription ends`() {
    let publisher = TestPublisher<Int, Never>()
    let end = EndOfTest()
    EndOfTest.$current.withValue(end) {
      AssertState().assert(
        when: { publisher.send(1) }, type: Int.self, publisher: publisher, valuesLimit: 1,
        valuesAssertions: { _ in })
    }
    #expect(publisher.subscriberCount == 1)
    end.finishHere()
    #expect(publisher.subscriberCount == 0)
    publisher.send(2)
  }
}

final class AssertStateXCTests: FailureCatchingTestCase {
  func testASynchronousTestWaitsWhileTheMainActorWorks() {
    let (subject, log) = (StateSubject<Screen, Never>(.initial), Log<[Screen]>())
    AssertState().assert(
      when: {
        Task { @MainActor in
          subject.value = .loading
          await Task.detached {}.value
          subject.value = .loaded("Ada")
        }
      },
      type: Screen.self,
      testCase: self,
      publisher: subject,
      valuesLimit: 3,
      initialAssertions: { XCTAssertEqual(subject.value, .initial) },
      valuesAssertions: { log.append($0) })
    XCTAssertEqual(log.values, [[.initial, .loading, .loaded("Ada")]])
  }

  @MainActor
  func testAnAsynchronousTestWaits() async {
    let (model, log) = (ScreenModel(), Log<[Screen]>())
    await AssertState().assert(
      when: { Task { await model.load() } }, type: Screen.self, testCase: self,
      publisher: model.states, valuesAssertions: { log.append($0) })
    XCTAssertEqual(log.values, [[.initial, .loading, .loaded("Ada")]])
  }

  func testASynchronousTestFailsWhenTheGuardRunsOut() async {
    let failures = await failures {
      HangTimeout.$shortened.withValue(.milliseconds(1)) {
        synchronously {
          AssertState().assert(
            when: {}, type: Int.self, testCase: self, publisher: StateSubject<Int, Never>(0),
            valuesAssertions: { _ in })
        }
      }
    }
    XCTAssertEqual(
      failures.map(\.text.firstLine),
      [
        "assert() expected 3 values from the publisher, but only 1 came: "
          + "1 ms of real time went by without it."
      ])
  }
}
