// virtual time: all sleeps here are in simulations
import Dispatch
import SleeplessTesting
import Testing
import TestSupport

/// Which answer a call gets.
@Suite struct StubTests {
  let user = Stub<Int, String>("user")

  @Test func `a standing value answers every call`() throws {
    user.always(.value("Ada"))
    #expect(try user.now(1) == "Ada")
    #expect(try user.now(2) == "Ada")
    #expect(user.calls.arguments == [1, 2])
  }

  @Test func `a standing error answers a call`() {
    user.always(.error(Trouble.offline))
    #expect(throws: Trouble.offline) { try user.now(1) }
  }

  @Test func `a closure answers with a result from the arguments`() throws {
    user.always { id in
      guard id > 0 else { throw Trouble.signedOut }
      return "user \(id)"
    }
    #expect(try user.now(3) == "user 3")
    #expect(throws: Trouble.signedOut) { try user.now(0) }
  }

  @Test func `answers in turn come before the standing answer`() throws {
    user.always(.value("nobody"))
    user.inTurn(.error(Trouble.offline), .value("Ada"))
    user.inTurn(.value("Tom"))
    #expect(throws: Trouble.offline) { try user.now(1) }
    #expect(try user.now(1) == "Ada")
    #expect(try user.now(1) == "Tom")
    #expect(try user.now(1) == "nobody")
    #expect(try user.now(1) == "nobody")
  }

  @Test func `answers for an argument come before answers for all calls`() throws {
    user.inTurn(.value("Eve"), for: 2)
    user.inTurn(.value("first"))
    user.always(.value("Ada"), for: 1)
    user.always(.value("nobody"))
    #expect(try user.now(1) == "Ada")
    #expect(try user.now(2) == "Eve")
    #expect(try user.now(2) == "first")
    #expect(try user.now(2) == "nobody")
    #expect(try user.now(1) == "Ada")
  }

  @Test func `of several conditions that are met the latest counts`() throws {
    user.always(.value("positive"), where: { $0 > 0 })
    user.always(.value("great"), where: { $0 > 100 })
    user.inTurn(.value("even"), where: { $0.isMultiple(of: 2) })
    #expect(try user.now(1) == "positive")
    #expect(try user.now(101) == "great")
    #expect(try user.now(102) == "even")
    #expect(try user.now(102) == "great")
  }

  @Test func `an unused default and a used answer may be replaced`() throws {
    let user = Stub<Int, String>("user", default: .value("nobody"))
    user.always(.value("Ada"))
    #expect(try user.now(1) == "Ada")
    user.always(.value("Tom"))
    #expect(try user.now(1) == "Tom")
    user.always(.value("Eve"), for: 1)
    #expect(try user.now(1) == "Eve")
    user.always(.value("Ann"), for: 1)
    #expect(try user.now(1) == "Ann")
  }

  @Test func `a default is an answer`() throws {
    #expect(try Stub<Int, String>(default: .value("nobody")).now(1) == "nobody")
  }

  @Test func `of two answers the newer one counts, though it fails`() throws {
    let failures = failures {
      user.always(.value("Ada"))
      user.always(.value("Tom"))
    }
    #expect(failures.count == 1)
    #expect(try user.now(1) == "Tom")
  }

  @Test func `closures of the test may use the stub themselves`() throws {
    user.always(where: { [user] id in id == 7 && user.calls.count == 1 })
    user.always { [user] id in
      user.inTurn(.value("said by the closure"))
      return "user \(id)"
    }
    #expect(try user.now(3) == "user 3")
    #expect(try user.now(3) == "said by the closure")
  }

  @Test func `each answer in turn is given to one call, whichever thread makes it`() async throws {
    for number in 0..<160 { user.inTurn(.value("\(number)")) }
    let answers = Log<String>()
    DispatchQueue.concurrentPerform(iterations: 8) { [user] _ in
      for id in 0..<20 { answers.append((try? user.now(id)) ?? "none") }
    }
    #expect(Set(answers.values).count == 160)
    #expect(user.calls.count == 160)
  }

  // MARK: Later

  @Test(.simulated) func `an answer can be delayed in a simulation`() async throws {
    user.always(.after(.seconds(2), .value("Ada")))
    #expect(try await user(1) == "Ada")
    #expect(Simulation.current?.now == .seconds(2))
  }

  @Test(.simulated) func `an answer to a completion handler can be delayed in simulations`()
    async throws
  {
    user.always(.after(.seconds(2), .value("Ada")))
    let answers = Recorder<String, Never>()
    user(1) { answers.record((try? $0.get()) ?? "none") }
    #expect(try await answers.next() == "Ada")
    #expect(answers.times == [.seconds(2)])
  }

  @Test func `an answer can be delayed on a clock`() async throws {
    let clock = TestClock()
    user.always(.after(.seconds(2), on: clock, .value("Ada")))
    let call = Task { [user] in try await user(1) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(2))
    #expect(try await call.value == "Ada")
  }

  @Test func `an answer for a completion handler can be delayed on a scheduler`() {
    let scheduler = TestScheduler()
    user.always(.after(.seconds(2), on: scheduler, .error(Trouble.offline)))
    let answers = Recorder<Trouble?, Never>(time: .of(scheduler))
    user(1, orThrow: Trouble.signedOut) { result in
      if case .failure(let error) = result { answers.record(error) }
    }
    scheduler.advance(by: .seconds(1))
    answers.expectNone()
    scheduler.advance(by: .seconds(1))
    answers.expect(.offline)
  }

  @Test func `a delayed answer is listed as pending`() throws {
    let scheduler = TestScheduler(allowsPendingWork: true)
    user.always(.after(.seconds(2), on: scheduler, .value("Ada")))
    let line = #line - 1
    user(1) { _ in }
    #expect(
      "\(scheduler.pending)" == "  at 2 s: \"answer of \"user\"\", StubTests.swift:\(line)")
  }

  @Test func `a negative delay means none`() {
    let scheduler = TestScheduler()
    user.always(.after(.seconds(-2), on: scheduler, .value("Ada")))
    let answers = Recorder<String?, Never>(time: .of(scheduler))
    user(1) { answers.record(try? $0.get()) }
    scheduler.advance()
    answers.expect("Ada")
    #expect(scheduler.now == .zero)
  }

  @Test(.simulated) func `an answer can be delayed and then held back`() async throws {
    let gate = Gate<String>("user")
    user.always(.after(.seconds(2), .held(by: gate)))
    async let answer = user(7)
    let call = try await gate.entered()
    #expect(Simulation.current?.now == .seconds(2))
    #expect("\(call)" == "7: in flight")
    call.succeed(with: "Ada")
    #expect(try await answer == "Ada")
  }

  @Test(.needs(.capture), .simulated) func `cancelling the caller ends a delay`() async throws {
    user.always(.after(.seconds(2), .value("Ada")))
    let call = Task { [user] in try await user(1) }
    try await Task.sleep(for: .seconds(1))
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(Simulation.current?.now == .seconds(1))
  }

  @Test func `a scheduler's end is noticed although a stub delays on it`() {
    let line = #line + 2
    let failures = failures {
      let scheduler = TestScheduler()
      user.always(.after(.seconds(2), on: scheduler, .value("Ada")))
      user(1) { _ in }
    }
    #expect(failures.map(\.line) == [line])
  }

  @Test func `a stub's end is noticed although an answer is on its way`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    let line = #line + 2
    let failures = failures {
      let user = Stub<Int, String>("user")
      user.inTurn(.after(.seconds(2), on: scheduler, .value("Ada")), .value("Tom"))
      user(1, orReturn: "nobody") { _ in }
    }
    #expect(failures.map(\.line) == [line])
  }
}

extension Stub {
  /// Sets an answer that no call should get.
  fileprivate func always(where condition: @escaping @Sendable (Arguments) -> Bool)
  where Value == String {
    always(.value("never"), where: condition)
  }
}
