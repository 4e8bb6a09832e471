// virtual time: what sleeps here does so in simulations
import Foundation
import SleeplessTesting
import TestSupport
import Testing

/// The tests of FailureMessages.md whose messages begin with a function.
@Suite(.needs(.capture), .failsAsShown) struct FunctionMessages {
  @Test(.simulated) func `await is forgotten`() {
    Task { await Task.yield() }
    settle()
  }

  @Test(.simulated) func `the task that settles is cancelled`() async {
    let settling = Task { await settle() }
    settling.cancel()
    await settling.value
  }

  @Test func `work schedules itself again`() {
    let scheduler = TestScheduler(stepLimit: 5, allowsPendingWork: true)
    @Sendable func again() { scheduler.async { again() } }
    again()
    scheduler.advance()
  }

  @Test func `work advances time and so calls itself`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    @Sendable func deeper() {
      scheduler.async { deeper() }
      scheduler.advance()
    }
    deeper()
  }

  @Test func `time is set back`() {
    let scheduler = TestScheduler()
    scheduler.advance(by: .seconds(5))
    scheduler.advance(to: .seconds(1))
  }

  @Test(.simulated) func `it is quiet for three seconds only`() async throws {
    let noise = Task { try await Task.sleep(for: .seconds(3)) }
    await always("it is quiet", during: .seconds(5)) { Simulation.current!.now < .seconds(3) }
    try await noise.value
  }

  @Test(.simulated) func `an answer is replaced before its first use`() {
    let user = Stub<Int, String>("user")
    user.always(.value("Ada"))
    user.always(.value("Tom"))
  }

  @Test(.simulated) func `three states come, and one was expected`() async {
    let state = StateSubject<String, Never>("initial")
    let load = { @Sendable in
      state.value = "loading"
      state.value = "loaded"
    }
    await AssertState().assert(
      when: load, type: String.self, publisher: state, valuesLimit: 1, valuesAssertions: { _ in })
  }

  @Test(.checkedAtEnd) func `the song is already gone`() {
    let song: Song? = nil
    assertMemoryDeallocation(in: song)
  }

  @Test func `a call is answered, and its cancellation expected`() async throws {
    let search = Gate<Int>("search", time: .of(TestScheduler()))
    search("swift") { _ in }
    let call = try await search.entered()
    call.succeed(with: 42)
    try? await call.cancelled()
  }

  @Test(.simulated) func `numbers end with an error`() async {
    let numbers = Recorder<Int, Trouble>("numbers")
    numbers.record(1)
    numbers.record(.failure(.offline))
    _ = try? await numbers.elements()
  }

  @Test func `an answer is read before time has moved`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    let states = Recorder<String, Never>("states", time: .of(scheduler))
    scheduler.schedule(after: .seconds(2), label: "answer") { states.record("loaded") }
    _ = try? states.next()
  }

  @Test(.simulated) func `nothing can show the list`() async {
    await eventually("the list is shown") { false }
  }

  @Test(.simulated) func `a search takes a minute`() async {
    let search = StartedOperation("search") { try await Task.sleep(for: .seconds(60)) }
    try? await search.expectFinish(within: .seconds(5))
    await search.expectCancellation()
  }

  @Test(.simulated) func `a callback is called twice`() async throws {
    _ = try? await expectExactlyOnce("the completion") {
      (done: @escaping @Sendable (Int) -> Void) in
      done(1)
      done(2)
    }
  }

  @Test(.simulated) func `a state comes that nobody expected`() async throws {
    let states = Recorder<String, Never>("states")
    states.record("initial")
    states.record("loading")
    #expect(try await states.next() == "initial")
    await states.expectNone()
  }

  @Test func `a poller sleeps on`() async {
    let clock = TestClock()
    let polling = Task(name: "poller") { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    await clock.expectNoSleepers()
    polling.cancel()
    _ = await polling.result
  }

  @Test(.simulated) func `another error is thrown`() async {
    await expectThrows(Trouble.offline) { throw Trouble.signedOut }
  }

  @Test func `an exploration starts in a cancelled task`() async {
    let exploring = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await explore {}
    }
    _ = await exploring.result
  }

  @Test(.simulated) func `the end is read before a value`() async {
    let states = Recorder<String, Never>("states")
    states.record("initial")
    states.record(.finished)
    try? await states.finish()
  }

  @Test func `a call is answered twice`() async throws {
    let search = Gate<Int>("search", time: .of(TestScheduler()))
    search("swift") { _ in }
    let call = try await search.entered()
    call.succeed(with: 42)
    call.succeed(with: 43)
  }

  @Test(.simulated) func `an answer is given before the call`() {
    let search = Gate<Int>("search")
    search.succeed(with: 42)
  }

  @Test(.simulated) func `two tasks read one recorder`() async {
    let states = Recorder<String, Never>("states")
    let first = Task { try await states.next() }
    let second = Task { try await states.next() }
    _ = await second.result
    states.record("initial")
    _ = await first.result
  }

  @Test(.simulated) func `a simulation begins in another one`() async {
    try? await simulate {}
  }

  @Test func `no simulation runs`() async {
    await Simulation.advance(by: .seconds(1))
  }

  @Test func `a queue waits for itself`() {
    let scheduler = TestScheduler()
    scheduler.async { scheduler.sync {} }
    scheduler.advance()
  }
}
