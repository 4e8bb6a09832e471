// virtual time: all sleeps here are in simulations, unless they are marked as real time
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// A usual model: on the main actor, with a function that starts work and returns at once.
@MainActor private final class NamesModel {
  private(set) var names: [String] = []
  nonisolated init() {}

  func load() {
    Task {
      // real time: the assertion waits for it, and does not depend on how long it takes
      try await Task.sleep(for: .milliseconds(1))
      names = await ["Ada", grace()]
    }
  }

  private nonisolated func grace() async -> String { "Grace" }
}

final class AsyncAssertXCTests: XCTestCase {
  private let model = NamesModel()

  func testAfterWhatASynchronousTestHasStarted() {
    let log = Log<Int>()
    Task.detached { log.append(1) }
    asyncAssert("it has run") { XCTAssertEqual(log.values, [1]) }
  }

  @MainActor func testAModelOnTheMainActor() {
    model.load()
    XCTAssertEqual(model.names, [])
    asyncAssert("the names are shown") {
      XCTAssertEqual(model.names, ["Ada", "Grace"])
    }
  }

  func testTheAssertionsMayUseTheMainActor() {
    let model = model
    Task { @MainActor in model.load() }
    asyncAssert("the names are shown") {
      XCTAssertEqual(model.names, ["Ada", "Grace"])
    }
  }

  @MainActor func testAnAsynchronousTest() async {
    model.load()
    await asyncAssert("the names are shown") {
      XCTAssertEqual(model.names, ["Ada", "Grace"])
    }
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  final class SimulatedAsyncAssertXCTests: SimulatedTestCase {
    func testInVirtualTime() {
      let log = Log<String>()
      Task {
        try await Task.sleep(for: .seconds(3600))
        log.append("an hour later")
      }
      asyncAssert("it has happened") { XCTAssertEqual(log.values, ["an hour later"]) }
    }
  }
#endif

@Suite struct AsyncAssertTests {
  @Test @MainActor func `an asynchronous test can assert`() async {
    let model = NamesModel()
    model.load()
    await asyncAssert("the names are shown") { #expect(model.names == ["Ada", "Grace"]) }
  }

  @Test func `the assertions run on the main actor`() async {
    await asyncAssert("here") { MainActor.assertIsolated() }
  }

  @Test func `a synchronous test off the main actor can assert`() async {
    await onOwnThread {
      let log = Log<Int>()
      Task { log.append(1) }
      func test() { asyncAssert("it has run") { #expect(log.values == [1]) } }
      test()
    }
  }

  @Test(.needs(.capture), .simulated) func `in a simulation the wait takes virtual time`() async {
    let log = Log<Int>()
    Task {
      try await Task.sleep(for: .seconds(3600))
      log.append(1)
    }
    await asyncAssert("it has happened") { #expect(log.values == [1]) }
    #expect(Simulation.current?.now == .seconds(3600))
  }

  @Test(.needs(.capture)) func `an error of the assertions comes through`() async {
    await #expect(throws: Trouble.offline) {
      try await asyncAssert("it fails") { throw Trouble.offline }
    }
  }

  @Test(.needs(.capture)) func `assertions that fail do so at their own lines`() async {
    let line = #line + 2
    let failures = await failures {
      await asyncAssert("wrong") { Issue.record("wrong") }
    }
    #expect(failures.map(\.line) == [line])
  }
}

@Suite struct EventuallyHoldingTests {
  @Test func `W1 assertions are tried until they hold, and only the last try counts`() async {
    let log = Log<Int>()
    Task { for number in 1...3 { await Task { log.append(number) }.value } }
    await eventually(asserting: "it holds") {
      #expect(log.values.count == 3)
      #expect(log.values.last == 3)
    }
    await eventually(asserting: "it holds") { try #require(log.values.count == 3) }
  }

  @Test @MainActor func `the assertions run in the caller's isolation`() async {
    await eventually(asserting: "it holds") {
      MainActor.assertIsolated()
      #expect(Bool(true))
    }
    await eventually(asserting: "it holds") {
      MainActor.assertIsolated()
      await Task { @MainActor in }.value
      #expect(Bool(true))
    }
  }

  @Test(.standingStill, .simulated) func `W2 the failure shows the issues of the assertions`() async
  {
    let count = 1
    let failures = await failures {
      await eventually(asserting: "it holds") { #expect(count == 3) }
    }
    // `failures` also takes the issues that the assertion holds back, so they have no text here.
    #expect(
      failures.map(\.text).filter { $0 != "" } == [
        """
        eventually "it holds" expected its assertions to hold, but they did not: nothing can run in \
        the simulation any more, and nothing is due.
        So far (now: 0 s, evaluated 2 times):
          1  0 s  Expectation failed: (count -> 1) == 3 x2
        Nothing left to run can change the condition. Look for code that was not started, or that waits for a queue, a thread or a server.
        """
      ])
  }
}

final class EventuallyHoldingXCTests: XCTestCase {
  func testAFailedAssertionMeansNotYet() async {
    let log = Log<Int>()
    Task { for number in 1...3 { await Task { log.append(number) }.value } }
    await eventually(asserting: "it holds") { XCTAssertEqual(log.values, [1, 2, 3]) }
  }

  func testEachWaitHoldsItsOwnFailuresBack() async {
    let log = Log<Int>()
    async let first: Void = eventually(asserting: "one") { XCTAssertEqual(log.values.first, 1) }
    async let second: Void = eventually(asserting: "two") { XCTAssertEqual(log.values.last, 2) }
    Task { for number in 1...2 { await Task { log.append(number) }.value } }
    _ = await (first, second)
  }

  func testAnErrorMeansNotYet() async {
    let log = Log<Int>()
    Task { for number in 1...3 { await Task { log.append(number) }.value } }
    await eventually(asserting: "it holds") {
      guard log.values.count == 3 else { throw Trouble.offline }
    }
  }
}
