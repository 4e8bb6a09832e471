// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The tests of FailureMessages.md whose messages begin with a number or a name in quotes.
@Suite(.needs(.capture), .failsAsShown) struct NameMessages {
  // MARK: A number

  @Test(.simulated(allowing: .suspendedTasks)) func `a continuation is never resumed`() {
    Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
  }

  @Test(.simulated) func `an answer is left over`() async throws {
    let user = Stub<Int, String>("user")
    user.inTurn(.value("Ada"), .value("Tom"), .value("Eve"))
    _ = try await user(1)
  }

  @Test(.simulated) func `two states are not read`() async throws {
    let states = Recorder<String, Never>("states")
    states.record("initial")
    try await Task.sleep(for: .milliseconds(300))
    states.record("loading")
    states.record("loaded")
    #expect(try await states.next() == "initial")
  }

  @Test func `a call is not answered`() async throws {
    let search = Gate<Int>("search", time: .of(TestScheduler()))
    search("swift") { _ in }
    search("swiftly") { _ in }
    try await search.entered().succeed(with: 42)
  }

  // MARK: A name in quotes

  @Test(.simulated) func `an answer comes two milliseconds late`() async throws {
    let states = Recorder<String, Never>("states")
    states.record("loading")
    try await Task.sleep(for: .milliseconds(12))
    states.record("loaded")
    states.expect(marbles: "loading 10ms loaded")
  }

  @Test(.simulated) func `the profile is not loaded`() async throws {
    let states = Recorder<String, Never>("states")
    states.record("initial")
    states.record("loading")
    try await Task.sleep(for: .milliseconds(1500))
    states.record("failed")
    await states.expect("initial", "loading", "loaded")
  }

  @Test(.simulated(allowing: .sleepingTasks)) func `a save comes after the test`() {
    let save = Spy<String>("save")
    save("Ada")
    Task {
      try? await Task.sleep(for: .seconds(1))
      save("Tom")
    }
  }

  @Test(.simulated) func `a stub has no answer`() async {
    let user = Stub<Int, String>("user")
    _ = try? await user(7)
  }

  @Test(.simulated) func `a stub has two answers for three calls`() async {
    let user = Stub<Int, String>("user")
    user.inTurn(.value("Ada"), .error(Trouble.offline))
    for id in 1...3 { _ = try? await user(id) }
  }

  @Test(.simulated) func `a synchronous call gets a delayed answer`() {
    let user = Stub<Int, String>("user")
    user.always(.after(.seconds(2), .value("Ada")))
    _ = try? user.now(7)
  }

  @Test func `marbles are compared before time has moved`() {
    let scheduler = TestScheduler()
    let states = Recorder<String, Never>("states", time: .of(scheduler))
    states.record("initial")
    scheduler.advance(by: .seconds(1))
    states.expect(marbles: "initial 2s")
  }

  @Test(.simulated) func `a callback comes after the recorder was cancelled`() {
    let answers = Recorder<String, Never>("answers")
    answers.cancel()
    answers.record("42")
  }

  @Test func `an answer is delayed, and no clock is there`() async {
    let user = Stub<Int, String>("user")
    user.always(.after(.seconds(2), .value("Ada")))
    _ = try? await user(7)
  }

  @Test(.simulated) func `a function that cannot throw gets an error`() async {
    let user = Stub<Int, String>("user")
    user.always(.error(Trouble.offline))
    _ = await user(7, orReturn: "nobody")
  }
}
