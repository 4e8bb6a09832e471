import SleeplessTesting
import VirtualTime

// The failures of recorders. FailureMessages.md shows some of the texts.

extension FailureCase {
  static let reading = [
    FailureCase(
      "a synchronous read with nothing there", at: #line + 9,
      reads: """
        next() expected a value from "states", but none came: a synchronous read does not wait.
        Nothing has come so far (now: 0 s).
        Let the event come first, or wait for it: try await in an async test.
        """
    ) {
      synchronously {
        let states = Recorder<Screen, Never>("states", time: .of(TestScheduler()))
        _ = try? states.next()
      }
    },
    FailureCase(
      "a synchronous read before the work has run", at: #line + 15,
      reads: """
        next(3) expected 3 values from "states", but only 1 came: a synchronous read does not wait.
        So far (now: 0 s):
          1  0 s  initial  (unread)
        Pending in virtual time:
          at 2 s: "answer", FailureCase+Recorder.swift:\(#line + 8)
        Move time first: advance(by:) or run().
        """
    ) {
      synchronously {
        let scheduler = TestScheduler(allowsPendingWork: true)
        let states = Recorder<Screen, Never>("states", time: .of(scheduler))
        states.record(.initial)
        scheduler.schedule(after: .seconds(2), label: "answer") { states.record(.loading) }
        _ = try? states.next(3)
      }
    },
    FailureCase(
      "a wait for what does not come", at: #line + 13,
      reads: """
        next() expected a value from "states", but none came: 1 ms of real time went by without it.
        So far (now: 0 s):
          1  0 s  initial
        Was the code under test started? Does it send to the recorded source?
        """
    ) {
      await HangTimeout.shortly {
        let scheduler = TestScheduler()
        let states = Recorder<Screen, Never>("states", time: .of(scheduler))
        states.record(.initial)
        _ = try? await states.next()
        _ = try? await states.next()
      }
    },
    FailureCase(
      "a wait while virtual time stands still", at: #line + 13,
      reads: """
        next() expected a value from "states", but none came: 1 ms of real time went by without it.
        Nothing has come so far (now: 0 s).
        Pending in virtual time:
          at 2 s: "answer", FailureCase+Recorder.swift:\(#line + 7)
        Virtual time stands still while a test waits: advance it before reading.
        """
    ) {
      await HangTimeout.shortly {
        let scheduler = TestScheduler(allowsPendingWork: true)
        let states = Recorder<Screen, Never>("states", time: .of(scheduler))
        scheduler.schedule(after: .seconds(2), label: "answer") { states.record(.loading) }
        _ = try? await states.next()
      }
    },
    FailureCase(
      "a wait that is cancelled", at: #line + 9,
      reads: """
        next() expected a value from "states", but none came: the waiting task was cancelled first.
        Nothing has come so far (now: 0 s).
        Usually a time limit of the test, or the test itself, cancels the task that reads. Read in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      let states = Recorder<Screen, Never>("states", time: .of(TestScheduler()))
      let reading = Task {
        _ = try? await states.next()
      }
      reading.cancel()
      await reading.value
    },
    FailureCase(
      "a wait when it is certain that nothing comes", at: #line + 9,
      reads: """
        next() expected a value from "states", but none came: nothing is left to run.
        Nothing has come so far (now: 0 s).
        Nothing left to run can send the event. Look for code that was not started, or that waits for a queue, a thread or a server.
        """
    ) {
      await RecorderWait.$observer.withValue(.init { $0.giveUp("nothing is left to run") }) {
        let states = Recorder<Screen, Never>("states", time: .of(TestScheduler()))
        _ = try? await states.next()
      }
    },
    FailureCase(
      "a read after the finish", at: #line + 10,
      reads: """
        next() expected a value from "states", but none came: it has finished.
        So far (now: 0 s):
          1  0 s  finished  (unread)
        The source ended sooner than the test expects. finish() reads the end.
        """
    ) {
      let states = Recorder<Screen, Never>("states", time: .of(TestScheduler()))
      states.record(.finished)
      _ = try? await states.next()
    },
    FailureCase(
      "a read after the failure", at: #line + 12,
      reads: """
        next(2) expected 2 values from "states", but only 1 came: it has failed: offline.
        So far (now: 0 s):
          1  0 s  initial  (unread)
          2  0 s  failed: offline  (unread)
        The source ended sooner than the test expects. failure() reads the error.
        """
    ) {
      let states = Recorder<Screen, Trouble>("states", time: .of(TestScheduler()))
      states.record(.initial)
      states.record(.failure(.offline))
      _ = try? await states.next(2)
    },
    FailureCase(
      "reading from two tasks", at: #line + 9,
      reads: """
        next() was called while another task waits for the events of "states". Chance would decide \
        which task gets the next event.
        Read from one task, or make a recorder for each task.
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      let second: @Sendable () async -> Void = {
        _ = try? await states.next()
      }
      // The second read begins when the first one is known to wait.
      let isWaiting = AsyncStream<Void>.makeStream()
      let first = Task {
        _ = await RecorderWait.$observer.withValue(.init { _ in isWaiting.continuation.finish() }) {
          try? await states.next()
        }
      }
      for await _ in isWaiting.stream {}
      await second()
      states.record(.initial)
      await first.value
    },
    FailureCase(
      "a read after the test", at: #line + 9,
      reads: """
        next() expected a value from "states", but none came: its test has ended.
        Nothing has come so far (now: 0 s).
        Make a recorder in each test.
        """
    ) {
      let states = Recorder<Screen, Never>("states", time: .of(TestScheduler()))
      states.checkAtEnd()
      _ = try? await states.next()
    },
    FailureCase(
      "a read after the recorder was cancelled", at: #line + 9,
      reads: """
        latest() expected a value from "states", but none came: the recorder was cancelled.
        Nothing has come so far (now: 0 s).
        Read first and cancel later, or make another recorder.
        """
    ) {
      let states = Recorder<Screen, Never>("states", time: .of(TestScheduler()))
      states.cancel()
      _ = try? await states.latest()
    },
    FailureCase(
      "a read of no values", at: #line + 4,
      reads: "skip(0) must be asked for at least 1 value (was 0). Nothing was read."
    ) {
      let states = Recorder<Screen, Never>("states")
      _ = try? await states.skip(0)
    },
    FailureCase(
      "a finish that is a failure", at: #line + 10,
      reads: """
        finish() expected "states" to finish, but it failed: offline.
        So far (now: 0 s):
          1  0 s  failed: offline
        To read the error use failure().
        """
    ) {
      let states = Recorder<Screen, Trouble>("states", time: .of(TestScheduler()))
      states.record(.failure(.offline))
      try? await states.finish()
    },
    FailureCase(
      "a failure that is a finish", at: #line + 10,
      reads: """
        failure() expected "states" to fail, but it finished.
        So far (now: 0 s):
          1  0 s  finished
        To read the finish use finish().
        """
    ) {
      let states = Recorder<Screen, Trouble>("states", time: .of(TestScheduler()))
      states.record(.finished)
      _ = try? await states.failure()
    },
    FailureCase(
      "a finish before which values are unread", at: #line + 12,
      reads: """
        finish() expected the end of "states" next, but a value is unread before it.
        So far (now: 0 s):
          1  0 s  initial  (unread)
          2  0 s  finished  (unread)
        Read them first, with next(), or leave them out with skip().
        """
    ) {
      let states = Recorder<Screen, Trouble>("states", time: .of(TestScheduler()))
      states.record(.initial)
      states.record(.finished)
      try? await states.finish()
    },
    FailureCase(
      "events where none should be", at: #line + 17,
      reads: """
        expectNone() expected nothing unread from "states", but 2 events are.
        So far (now: 1 s):
          1  0 s  initial
          2  1 s  loading  (unread)
          3  1 s  finished  (unread)
        Either the code sends too many events, or the test has read too few.
        """
    ) {
      let scheduler = TestScheduler()
      let states = Recorder<Screen, Never>("states", time: .of(scheduler))
      states.record(.initial)
      await states.expect(.initial)
      await scheduler.advance(by: .seconds(1))
      states.record(.loading)
      states.record(.finished)
      await states.expectNone()
    },
    FailureCase(
      "expecting nothing after the test", at: #line + 7,
      reads: """
        expectNone() was called on "states" after its test ended. Make a recorder in each test.
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      states.checkAtEnd()
      states.expectNone()
    },
  ]

  static let endOfTest = [
    FailureCase(
      "unread events", at: #line + 11,
      reads: """
        2 events of "states" were never read:
          1     0 s  initial
          2  300 ms  loading  (unread)
          3  300 ms  failed: offline  (unread)
        Read the events that matter to the test with next(), expect() or all(), and leave out the \
        others with skip(). If none matters, make the recorder with allowsUnread: true.
        """
    ) {
      let scheduler = TestScheduler()
      let states = Recorder<Screen, Trouble>("states", time: .of(scheduler))
      states.record(.initial)
      _ = try? await states.next()
      await scheduler.advance(by: .milliseconds(300))
      states.record(.loading)
      states.record(.failure(.offline))
    },
    FailureCase(
      "the last of many unread events", at: #line + 18,
      reads: """
        1 event of the recorder made in FailureCase+Recorder.swift:\(#line + 16) was never read:
          ... 2 before
           3  0 s  3
           4  0 s  4
           5  0 s  5
           6  0 s  6
           7  0 s  7
           8  0 s  8
           9  0 s  9
          10  0 s  10
          11  0 s  11
          12  0 s  12  (unread)
        Read the events that matter to the test with next(), expect() or all(), and leave out the \
        others with skip(). If none matters, make the recorder with allowsUnread: true.
        """
    ) {
      let numbers = Recorder<Int, Never>(time: .of(TestScheduler()))
      for number in 1...12 { numbers.record(number) }
      _ = try? await numbers.next(11)
    },
    FailureCase(
      "an unread error, shown with another recorder's failure", at: #line + 13,
      reads: """
        next() expected a value from "names", but none came: it has finished.
        So far (now: 0 s):
          1  0 s  finished  (unread)
        The source ended sooner than the test expects. finish() reads the end.
        Unread in "errors": failed: offline, at 0 s
        """
    ) {
      let errors = Recorder<String, Trouble>("errors", time: .of(TestScheduler()))
      let names = Recorder<String, Never>("names", time: .of(TestScheduler()))
      errors.record(.failure(.offline))
      names.record(.finished)
      _ = try? await names.next()
      _ = try? await errors.failure()
    },
    FailureCase(
      "a value after the end", at: #line + 9,
      reads: """
        The source of "states" sent a value, loading, after its end.
        So far (now: 0 s):
          1  0 s  finished  (unread)
        Nothing may follow the end. Usually a callback is called twice, or a task goes on sending \
        after another one has finished the source.
        """
    ) {
      let states = Recorder<Screen, Never>("states", time: .of(TestScheduler()))
      states.record(.finished)
      states.record(.loading)
    },
    FailureCase(
      "a second end", at: #line + 9,
      reads: """
        The source of "states" sent another end, "failed: offline", after its end.
        So far (now: 0 s):
          1  0 s  finished  (unread)
        Nothing may follow the end. Usually a callback is called twice, or a task goes on sending \
        after another one has finished the source.
        """
    ) {
      let states = Recorder<Screen, Trouble>("states", time: .of(TestScheduler()))
      states.record(.finished)
      states.record(.failure(.offline))
    },
    FailureCase(
      "a source that does not stop", at: #line + 9,
      reads: """
        The source of "states" sent a value, loading, after it was cancelled.
        Nothing has come so far (now: 0 s).
        After cancel() no new event may come. Make the source check for cancellation and release \
        its subscribers.
        """
    ) {
      let publisher = TestPublisher<Screen, Never>(allowing: [.eventsAfterCancel])
      let states = Recorder(publisher, "states", time: .of(TestScheduler()))
      states.cancel()
      publisher.send(.loading)
    },
    FailureCase(
      "a callback after the test", at: #line + 7,
      reads: """
        "answers" was given a value, "42", after its test had ended.
        Nothing has come so far (now: 0 s).
        Something that the test started still runs. Let the test wait for it, or stop it.
        """
    ) {
      let answers = Recorder<String, Never>("answers", time: .of(TestScheduler()))
      answers.checkAtEnd()
      answers.record("42")
    },
    FailureCase(
      "a callback after the recorder was cancelled", at: #line + 7,
      reads: """
        "answers" was given a value, "42", after it was cancelled.
        Nothing has come so far (now: 0 s).
        Something that the test started still runs. Let the test wait for it, or stop it.
        """
    ) {
      let answers = Recorder<String, Never>("answers", time: .of(TestScheduler()))
      answers.cancel()
      answers.record("42")
    },
  ]
}

/// Runs code in a synchronous context, where reads do not wait.
func synchronously(_ body: () -> Void) { body() }
