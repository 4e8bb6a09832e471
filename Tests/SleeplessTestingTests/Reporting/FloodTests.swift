// virtual time: all sleeps here are in simulations
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime
import XCTest

/// One cause that makes a helper fail again and again, and the failures: the same in both frameworks.
struct Flood: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var needs: Need?
  let failures: [Failure]
  let provoke: @Sendable () async -> Void

  static let all: [Flood] = [
    Flood(
      testDescription: "a helper that fails without end",
      failures: [Failure](1...10, at: #line + 4) { "failure \($0)" } + [
        .count(990, at: #line + 3)
      ]
    ) {
      let reporter = Reporter(at: CallSite())
      for number in 1...1000 { reporter.fail("failure \(number)") }
    },
    Flood(
      testDescription: "one failure more than are reported",
      failures: [Failure](1...10, at: #line + 8) { "failure \($0)" } + [
        Failure(
          """
          The helper made here failed 1 more time; only its first ten failures are shown.
          This is usually one cause in a loop: begin with the first failure.
          """, line: #line + 3)
      ]
    ) {
      let reporter = Reporter(at: CallSite())
      for number in 1...11 { reporter.fail("failure \(number)") }
    },
    Flood(
      testDescription: "a helper that goes on after the end of its test",
      failures: [Failure](1...10, at: #line + 5) { "failure \($0)" } + [
        .count(1, at: #line + 4), Failure("late", line: #line + 4),
      ]
    ) {
      let end = EndOfTest()
      let reporter = EndOfTest.$current.withValue(end) { Reporter(at: CallSite()) }
      for number in 1...11 { reporter.fail("failure \(number)") }
      await end.finish()
      reporter.fail("late")
    },
    Flood(
      testDescription: "a stub without an answer, called in a loop until rest", needs: .capture,
      failures: [Failure](1...10, at: #line + 4, unanswered) + [.count(1, at: #line + 4)]
    ) {
      try? await simulate {
        try? await EndOfTest.check {
          let user = Stub<Int, String>("user")
          let loop = Task { while !Task.isCancelled { _ = try? await user(7) } }
          await settle()
          loop.cancel()
          await loop.value
        }
      }
    },
    Flood(
      testDescription: "an error that cannot be thrown, in a loop until rest", needs: .capture,
      failures: [Failure](1...10, at: #line + 3, unthrowable) + [.count(1, at: #line + 3)]
    ) {
      try? await simulate {
        let user = Stub<Int, String>("user")
        user.always(.error(CancellationError()))
        let loop = Task { while !Task.isCancelled { _ = await user(7, orReturn: "nobody") } }
        await settle()
        loop.cancel()
        await loop.value
      }
    },
    Flood(
      testDescription: "a loop of calls after the end of their test", needs: .capture,
      failures: [
        Failure(
          """
          "user" was called after its test had ended, with 7.
          Nothing has come so far (now: 0 s).
          Something that the test started still runs. Let the test wait for it, or stop it.
          """, line: #line + 4)
      ]
    ) {
      try? await simulate {
        let user = Stub<Int, String>("user")
        user.checkAtEnd()
        let loop = Task { while !Task.isCancelled { _ = try? await user(7) } }
        await settle()
        loop.cancel()
        await loop.value
      }
    },
    Flood(
      testDescription: "a loop of sleeps on a clock that must not be used", needs: .capture,
      failures: [
        Failure(
          """
          it was used: sleep.
          This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
          or an immediate one.
          """, line: #line + 4)
      ]
    ) {
      try? await simulate {
        let clock = UnimplementedClock("it")
        let loop = Task {
          while !Task.isCancelled { try? await clock.sleep(until: VirtualInstant()) }
        }
        await settle()
        loop.cancel()
        await loop.value
      }
    },
  ]

  /// A loop that goes on after each failure, in virtual time; the body waits for its rest.
  fileprivate static func simulateEndlessFailing() async {
    try? await simulate {
      let user = Stub<Int, String>("user")
      let loop = Task {
        while !Task.isCancelled {
          _ = try? user.now(7)
          try? await Task.sleep(for: .seconds(1))
        }
      }
      await settle()
      loop.cancel()
    }
  }

  private static func unanswered(_ call: Int) -> String {
    """
    "user" was called with 7, and it has no answer for that.
    \(history(call))
    Give one before the call: always(.value(...)) for every call, inTurn(...) for the next ones, either \
    with for: or where: for some.
    """
  }

  private static func unthrowable(_ call: Int) -> String {
    """
    "user" was to throw CancellationError(), but the function that it stands in for cannot throw.
    \(history(call))
    Give it a value, with always(.value(...)) or inTurn(...).
    """
  }

  private static func history(_ count: Int) -> String {
    let calls = (1...count).map { count == 10 && $0 < 10 ? "   \($0)  0 s  7" : "  \($0)  0 s  7" }
    return (["So far (now: 0 s):"] + calls).joined(separator: "\n")
  }
}

extension [Failure] {
  fileprivate init(
    _ numbers: ClosedRange<Int>, at line: Int, file: String = #fileID, _ text: (Int) -> String
  ) {
    self = numbers.map { Failure(text($0), file: file, line: line) }
  }
}

extension Failure {
  fileprivate static func count(_ count: Int, at line: Int, file: String = #fileID) -> Failure {
    Failure(
      """
      The helper made here failed \(count) more \(count == 1 ? "time" : "times"); only its first \
      ten failures are shown.
      This is usually one cause in a loop: begin with the first failure.
      """, file: file, line: line)
  }
}

@Suite struct FloodTests {
  @Test(arguments: Flood.all)
  func `F4 after ten failures a helper counts the rest, and a loop of calls ends`(
    flood: Flood
  ) async throws {
    try flood.needs?.orCancel()
    let failures = await failures { await flood.provoke() }
    #expect(failures.map(\.withoutCaller) == flood.failures)
  }

  @Test(.needs(.capture)) func `F4 a call that is held back says what it waits for`() async {
    let failures = await failures {
      try? await simulate {
        let user = Stub<Int, String>("user")
        while !Task.isCancelled { _ = try? await user(7) }
      }
    }
    #expect(
      failures.map(\.withoutFunctions).first { $0.text.hasPrefix("The simulation") }?.text == """
        The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body \
        has not ended.
          the body: waiting for its cancellation, as more than ten calls of "user" have failed \
        since 0 s
        This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
        that wait for each other.
        Threads and the network are not simulated; the simulation waits 500 ms for \
        them. Inject a double there, or run the call in Simulation.outside { ... }.
        """)
  }

  @Test(.needs(.capture)) func `F4 a loop of synchronous calls ends with its simulation`() async {
    let failures = await failures { await Flood.simulateEndlessFailing() }
    #expect(
      failures.dropFirst(10).map(\.withoutFunctions.text) == [
        """
        The helper made here failed 90 more times; only its first ten failures are shown.
        This is usually one cause in a loop: begin with the first failure.
        """,
        FailureText.aSimulationGivenUp,
      ])
  }

  @Test func `F4 outside a simulation a call is held back until the timeout is over`() async {
    let ends = Log<String>()
    let failures = await failures {
      let user = Stub<Int, String>("user")
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        for _ in 1...11 {
          do { _ = try await user(7) } catch is CancellationError {
            ends.append("cancelled")
          } catch { ends.append("failed") }
        }
      }
    }
    #expect(ends.values == Array(repeating: "failed", count: 10) + ["cancelled"])
    #expect(failures.count == 11)
  }

  @Test(.needs(.capture)) func `F4 a helper fails each try of assertions that are tried again`()
    async
  {
    // The failures that are held back come first.
    let failures = await failures { await tryForLong() }
    #expect(failures.last?.text.firstLine == failureOfTries)
  }

  @Test func `F4 a call that has an answer is not held back`() async throws {
    let user = Stub<Int, String>("user")
    let failures = await failures { for _ in 1...10 { _ = try? await user(7) } }
    user.always(.value("Ada"))
    #expect(try await user(7) == "Ada")
    #expect(failures.count == 10)
  }

  @Test func `F4 a helper made outside every test fails the next test that uses it as well`() {
    var limit = FailureLimit()
    for _ in 1...10 { _ = limit.add(in: "first") }
    guard case .counted(isFirst: true, isLast: false) = limit.add(in: "first"),
      case .reported = limit.add(in: "second")
    else { return #expect(Bool(false), "\(limit)") }
    #expect(limit.takeUnreported(in: "first") == 1)
    #expect(limit.takeUnreported(in: "second") == 0)
  }
}

/// Tries an assertion that fails more often than a helper reports failures.
private func tryForLong() async {
  try? await simulate {
    let answer = Stub<Int, Int>("answer")
    let task = Task { for _ in 0..<30 { try await Task.sleep(for: .milliseconds(10)) } }
    await eventually(asserting: "the answer is there", within: .seconds(1)) {
      _ = answer.now(1, orReturn: 0)
    }
    try await task.value
  }
}

private let failureOfTries = """
  eventually "the answer is there" expected its assertions to hold, but they did not: nothing can run in \
  the simulation any more, and nothing is due.
  """

final class FloodXCTests: FailureCatchingTestCase {
  func testF4AHelperFailsEachTryOfAssertionsThatAreTriedAgain() async throws {
    try Need.capture.orSkip()
    let failures = await failures { await tryForLong() }
    XCTAssertEqual(failures.last?.text.firstLine, failureOfTries)
  }

  func testF4AfterTenFailuresAHelperCountsTheRest() async {
    for flood in Flood.all where flood.needs?.isMet ?? true {
      let failures = await failures { await flood.provoke() }
      XCTAssertEqual(failures.map(\.withoutCaller), flood.failures, flood.testDescription)
    }
  }
}
