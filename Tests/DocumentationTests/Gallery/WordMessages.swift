// virtual time: what sleeps here does so in simulations
import Foundation
import SleeplessTesting
import TestSupport
import Testing

/// The tests of FailureMessages.md whose messages begin with a word.
@Suite(.needs(.capture), .failsAsShown) struct WordMessages {
  // MARK: Time

  @Test func `a clock is used that must not be`() async {
    try? await UnimplementedClock().sleep(for: .seconds(1))
  }

  @Test func `a toast is still to be hidden`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(3), label: "hide the toast") {}
  }

  @Test func `nothing sleeps on the clock`() async {
    let clock = TestClock()
    await clock.advance(by: .seconds(1))
  }

  // MARK: Recording

  @Test func `a line of marbles has a dash`() {
    let states = Recorder<String, Never>("states")
    states.expect(marbles: "a -- b")
  }

  @Test(.simulated) func `a source goes on after its end`() {
    let states = Recorder<String, Never>("states")
    states.record(.finished)
    states.record("loading")
  }

  @Test(.simulated) func `a value is sent to nobody`() {
    let publisher = TestPublisher<Int, Never>()
    publisher.send(1)
  }

  // MARK: Memory

  @Test(.checkedAtEnd) func `a closure of the song keeps the song`() {
    let song = Song()
    assertMemoryDeallocation(in: song)
    song.onEnd = { song.next = nil }
  }

  @Test(.simulated) func `a simulation ends, and the song stays`() {
    let song = Simulation.expectRelease(of: Song())
    song.next = song
  }

  @Test(.simulated) func `two songs stay in each round`() async {
    await assertNoGrowth(rounds: 3) {
      let song = Song()
      song.next = Song()
      song.next?.next = song
    }
  }

  // MARK: Simulations

  @Test(.simulated) func `a poller is left behind`() {
    Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
  }

  @Test(.simulated) func `a balance falls below zero`() async {
    let balance = StateSubject<Int, Never>(1)
    Simulation.invariant("nothing is owed") { balance.value >= 0 }
    await Task(name: "rent") { balance.value -= 2 }.value
  }

  @Test(.simulated(stepLimit: 1000)) func `a loop yields without end`() async {
    while !Task.isCancelled { await Task.yield() }
  }

  @Test(.simulated(timeLimit: .seconds(10.5))) func `a loop sleeps without end`() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
  }

  @Test(.simulated) func `a reader waits for ever`() async throws {
    let reader = Task(name: "reader") {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    try await Task.sleep(for: .seconds(3))
    await reader.value
  }

  @Test func `two runs take different times`() async {
    let visits = Visits()
    try? await simulate(checksDeterminism: true) {
      let visit = await visits.next()
      try await Task.sleep(for: .seconds(visit))
    }
  }

  @Test(.explored(schedules: 2)) func `a thread resumes the test`() async {
    await withCheckedContinuation { continuation in
      Task { Thread.detachNewThread { continuation.resume() } }
    }
  }

  @Test(.simulated) func `a signal is listened to`() {
    let signals = DispatchSource.makeSignalSource(signal: SIGWINCH)
    signals.activate()
    #expect(signals.data == 1)
    signals.cancel()
  }

  // MARK: Explorations

  @Test func `code does not expect to be cancelled`() async {
    _ = try? await exploreCancellation {
      try? await Task.sleep(for: .seconds(1))
      #expect(!Task.isCancelled)
    }
  }

  @Test func `no schedules are asked for`() async {
    _ = try? await explore(schedules: 0) {}
  }

  @Test func `a replay string is cut off`() async {
    _ = try? await explore(replay: "1AAA") {}
  }

  @Test func `only the first run passes`() async {
    let visits = Visits()
    _ = try? await explore {
      let visit = await visits.next()
      if visit > 1 { throw Trouble.offline }
    }
  }

  @Test func `runs fail from the fifth on`() async {
    let visits = Visits()
    _ = try? await explore {
      async let visit = visits.next()
      async let other = visits.next()
      if await visit + other > 9 { throw Trouble.offline }
    }
  }

  @Test func `one run fails, and passes when it is repeated`() async {
    let visits = Visits()
    _ = try? await explore {
      async let visit = visits.next()
      async let other = visits.next()
      if await visit + other == 11 { throw Trouble.offline }
    }
  }

  @Test func `a schedule passes, and then fails`() async {
    let visits = Visits()
    _ = try? await explore {
      async let visit = visits.next()
      async let other = visits.next()
      if await visit + other == 15 { throw Trouble.offline }
    }
  }

  @Test func `the second visit comes second by now`() async {
    _ = try? await explore(replay: "1OhvQyOACAAABAuOq") {
      let visits = Visits()
      let first = await visits.next()
      let second = await visits.next()
      if first > second { throw Trouble.offline }
    }
  }
}
