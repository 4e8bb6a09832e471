import SleeplessTesting
import VirtualTime

// The failures of AssertState. FailureMessages.md shows some of the texts.

extension FailureCase {
  static let assertState = [
    FailureCase(
      "a limit of zero", at: #line + 6,
      reads: """
        valuesLimit must be at least 1 (was 0). Nothing was run.
        To assert that nothing is sent, record the publisher and use expectNone().
        """
    ) {
      await AssertState().assert(
        when: {}, type: Screen.self, publisher: StateSubject<Screen, Never>(.initial),
        valuesLimit: 0, valuesAssertions: { _ in })
    },
    FailureCase(
      "a negative limit", at: #line + 6,
      reads: """
        valuesLimit must be at least 1 (was -1). Nothing was run.
        To assert that nothing is sent, record the publisher and use expectNone().
        """
    ) {
      await AssertState().assert(
        when: {}, type: Screen.self, publisher: StateSubject<Screen, Never>(.initial),
        valuesLimit: -1, valuesAssertions: { _ in })
    },
    FailureCase(
      "too few states, looked at synchronously", at: #line + 11,
      reads: """
        assert() expected 3 values from the publisher, but only 2 came: a synchronous read does not wait.
        So far (now: *):
          1  *  initial
          2  *  loading
        Let the event come first, or wait for it: try await in an async test.
        """
    ) {
      synchronously {
        let state = StateSubject<Screen, Never>(.initial)
        AssertState().assert(
          when: { state.value = .loading }, type: Screen.self, publisher: state,
          valuesAssertions: { _ in })
      }
    },
    FailureCase(
      "too few states", at: #line + 10,
      reads: """
        assert() expected 3 values from the publisher, but only 1 came: 1 ms of real time went by without it.
        So far (now: *):
          1  *  initial
        Was the code under test started? Does it send to the recorded source?
        """
    ) {
      await HangTimeout.shortly {
        let state = StateSubject<Screen, Never>(.initial)
        await AssertState().assert(
          when: {}, type: Screen.self, publisher: state, valuesAssertions: { _ in })
      }
    },
    FailureCase(
      "no state at all", at: #line + 9,
      reads: """
        assert() expected 3 values from the publisher, but none came: 1 ms of real time went by without it.
        Nothing has come so far (now: *).
        Was the code under test started? Does it send to the recorded source?
        """
    ) {
      await HangTimeout.shortly {
        let events = EventSubject<Screen, Never>()
        await AssertState().assert(
          when: {}, type: Screen.self, publisher: events, valuesAssertions: { _ in })
      }
    },
    FailureCase(
      "a publisher that ends early", at: #line + 11,
      reads: """
        assert() expected 3 values from the publisher, but it finished before.
        So far (now: *):
          1  *  initial
          2  *  finished
        Was the sender of the values released, or did it end too soon? If this number is right, \
        set valuesLimit.
        """
    ) {
      let state = StateSubject<Screen, Never>(.initial)
      await AssertState().assert(
        when: { state.send(completion: .finished) }, type: Screen.self, publisher: state,
        valuesAssertions: { _ in })
    },
    FailureCase(
      "too many states", at: #line + 16,
      reads: """
        assert() expected 1 value from the publisher, but 3 came.
        So far (now: *):
          1  *  initial
          2  *  loading
          3  *  loaded("Ada")
        Does the code under test send a state twice, or go on after its result? If this number is \
        right, set valuesLimit.
        """
    ) {
      let state = StateSubject<Screen, Never>(.initial)
      let load = { @Sendable in
        state.value = .loading
        state.value = .loaded("Ada")
      }
      await AssertState().assert(
        when: load, type: Screen.self, publisher: state, valuesLimit: 1,
        valuesAssertions: { _ in })
    },
    FailureCase(
      "a late state", at: #line + 11,
      reads: """
        assert() expected 1 value from the publisher, but another one came later.
        So far (now: *):
          1  *  initial
          2  *  loading  (unread)
        Does the code under test send a state twice, or go on after its result? If this number is \
        right, set valuesLimit.
        """
    ) {
      let state = StateSubject<Screen, Never>(.initial)
      await AssertState().assert(
        when: {}, type: Screen.self, publisher: state, valuesLimit: 1,
        valuesAssertions: { _ in })
      state.value = .loading
      state.value = .loaded("Ada")
    },
    FailureCase(
      "a publisher that goes on after its end", at: #line + 15,
      reads: """
        The source of the publisher sent a value, loading, after its end.
        So far (now: *):
          1  *  initial
          2  *  finished
        Nothing may follow the end. Usually a callback is called twice, or a task goes on sending \
        after another one has finished the source.
        """
    ) {
      let publisher = TestPublisher<Screen, Never>(allowing: [.eventsAfterEnd])
      let send = { @Sendable in
        publisher.send(.initial)
        publisher.send(completion: .finished)
      }
      await AssertState().assert(
        when: send, type: Screen.self, publisher: publisher, valuesLimit: 1,
        valuesAssertions: { _ in })
      publisher.send(.loading)
    },
  ]
}
