import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

@Suite struct ReadingTests {
  let states = Recorder<Screen, Trouble>("states")

  // MARK: Synchronous

  @Test func `values are read one after another`() throws {
    send(.initial, .loading, .loaded("Ada"))
    #expect(try states.next() == .initial)
    #expect(try states.next(2) == [.loading, .loaded("Ada")])
    states.expectNone()
  }

  @Test func `a read of too many values reads none`() throws {
    send(.initial, .loading)
    let text = failures { _ = try? states.next(3) }.map(\.text).first
    #expect(text?.hasPrefix("next(3) expected 3 values from \"states\", but only 2 came") == true)
    #expect(try states.next(2) == [.initial, .loading])
  }

  @Test func `skipped values count as read`() throws {
    send(.initial, .loading, .loaded("Ada"))
    try states.skip()
    try states.skip(2)
    states.expectNone()
  }

  @Test func `the latest value skips the earlier ones`() throws {
    send(.initial, .loading, .loaded("Ada"))
    #expect(try states.latest() == .loaded("Ada"))
    states.expectNone()
  }

  @Test func `all returns all values so far, read or not, and leaves none unread`() throws {
    send(.initial, .loading)
    try states.skip()
    #expect(states.all() == [.initial, .loading])
    #expect(states.all() == [.initial, .loading])
    states.expectNone()
  }

  @Test func `all of nothing is empty`() { #expect(states.all() == []) }

  @Test func `the finish is read after the values, any number of times`() throws {
    send(.initial)
    states.record(.finished)
    try states.skip()
    try states.finish()
    try states.finish()
  }

  @Test func `the error is read after the values`() throws {
    send(.initial)
    states.record(.failure(.offline))
    try states.skip()
    #expect(try states.failure() == .offline)
    states.expectNone()
  }

  @Test func `all leaves the end to be read`() throws {
    send(.initial)
    states.record(.finished)
    #expect(states.all() == [.initial])
    try states.finish()
  }

  @Test func `unread events are no failure where they are allowed`() {
    let states = Recorder<Screen, Trouble>(allowsUnread: true)
    states.record(.initial)
    states.record(.failure(.offline))
  }

  @Test func `an event after the end is a failure even where unread ones are allowed`() {
    let failures = failures {
      let states = Recorder<Screen, Trouble>("states", allowsUnread: true)
      states.record(.finished)
      states.record(.initial)
      states.record(.loading)
    }
    #expect(failures.count == 1)
  }

  @Test func `after one failure a recorder keeps quiet about its consequences`() {
    let failures = failures {
      let states = Recorder<Screen, Trouble>("states")
      states.record(.initial)
      _ = try? states.next(2)
    }
    #expect(failures.count == 1)
  }

  @Test func `events before a cancellation can be read after it`() throws {
    send(.initial)
    states.cancel()
    states.cancel()
    #expect(try states.next() == .initial)
  }

  @Test func `the end of the test checks each recorder once`() {
    let end = EndOfTest()
    var states: Recorder<Screen, Trouble>?
    EndOfTest.$current.withValue(end) { states = Recorder("states") }
    states?.record(.initial)
    let failures = failures {
      end.finishHere()
      states = nil
      end.finishHere()
    }
    #expect(failures.map(\.text.firstLine) == ["1 event of \"states\" was never read:"])
    #expect(!end.add { _ in })
  }

  @Test(arguments: [1, 2])
  func `an unread error is shown in its own case of a test alone`(number: Int) throws {
    // The recorders of both cases are there at once, or one after the other; it makes no difference.
    let errors = Recorder<Int, Trouble>("errors \(number)")
    errors.record(.failure(.offline))
    let text = failures { _ = try? states.next() }.first?.text
    #expect(text?.contains("Unread in \"errors \(number)\"") == true)
    #expect(text?.contains("Unread in \"errors \(3 - number)\"") == false)
    _ = try errors.failure()
  }

  @Test func `the failure of any helper shows the errors that lie unread`() throws {
    let errors = Recorder<Int, Trouble>("errors", time: .of(TestScheduler()))
    errors.record(.failure(.offline))
    let text = failures { TestScheduler().advance(by: .seconds(-1)) }.first?.text
    #expect(text?.hasSuffix("\nUnread in \"errors\": failed: offline, at 0 s") == true)
    _ = try errors.failure()
  }

  @Test func `the description lists the latest events`() throws {
    let states = Recorder<Screen, Trouble>("states", time: .of(TestScheduler()))
    states.record(.initial)
    #expect(
      "\(states)" == """
        "states"
        So far (now: 0 s):
          1  0 s  initial  (unread)
        """)
    try states.skip()
  }

  // MARK: Waiting

  @Test func `W1 a read waits for the event itself`() async throws {
    let (states, isWaiting) = (states, Signal())
    let reading = Task {
      try await RecorderWait.$observer.withValue(.init { _ in isWaiting.send() }) {
        try await states.next(2)
      }
    }
    await isWaiting.wait()
    send(.initial)
    send(.loading)
    #expect(try await reading.value == [.initial, .loading])
  }

  @Test func `W1 the finish is waited for`() async throws {
    let (states, isWaiting) = (states, Signal())
    let reading = Task {
      try await RecorderWait.$observer.withValue(.init { _ in isWaiting.send() }) {
        try await states.finish()
      }
    }
    await isWaiting.wait()
    states.record(.finished)
    try await reading.value
  }

  @Test func `W1 a sequence is waited for, event by event`() async {
    let (states, isWaiting) = (states, Signal())
    let reading = Task {
      await RecorderWait.$observer.withValue(.init { _ in isWaiting.send() }) {
        await states.expect(.initial, .loading, then: .failure(.offline))
      }
    }
    await isWaiting.wait()
    send(.initial, .loading)
    states.record(.failure(.offline))
    await reading.value
  }

  @Test func `W3 a wait ends at once when an event differs`() async {
    send(.loading)
    let failures = await failures { await states.expect(.initial, .loading, .loaded("Ada")) }
    #expect(failures.count == 1)
  }

  @Test func `W3 a wait ends at once when the source has ended`() async {
    states.record(.finished)
    let failures = await failures {
      _ = try? await states.next()
    }
    #expect(failures.count == 1)
  }

  @Test func `W3 a wait ends at once when the recorder is cancelled`() async {
    let (states, isWaiting) = (states, Signal())
    let reading = Task {
      await failures {
        await RecorderWait.$observer.withValue(.init { _ in isWaiting.send() }) {
          _ = try? await states.next()
        }
      }
    }
    await isWaiting.wait()
    states.cancel()
    #expect(await reading.value.count == 1)
  }

  @Test func `a read that was given up does not disturb the next one`() async throws {
    let failures = await failures {
      await HangTimeout.shortly {
        _ = try? await states.next()
      }
    }
    #expect(failures.count == 1)
    send(.initial)
    #expect(try await states.next() == .initial)
  }

  @Test func `a failed read throws an error that no framework reports again`() async {
    let thrown = Log<String>()
    let failures = await failures {
      do {
        _ = try await HangTimeout.$shortened.withValue(.milliseconds(1)) { try await states.next() }
      } catch {
        thrown.append("\(type(of: error))")
      }
    }
    #expect(failures.count == 1)
    #expect(thrown.values == ["ExpectationFailedError"])
  }

  private func send(_ values: Screen...) {
    for value in values { states.record(value) }
  }
}

/// Signals one task that another one has reached a point.
final class Signal: Sendable {
  private let stream = AsyncStream<Void>.makeStream()

  func send() { stream.continuation.yield() }

  func wait() async {
    for await _ in stream.stream { return }
  }
}
