import SleeplessTesting
import VirtualTime

extension FailureCase {
  /// Reads of the whole of a recording.
  static let whole = [
    FailureCase(
      "all values before the end", at: #line + 11,
      reads: """
        elements() expected the end from "numbers", but none came: a synchronous read does not wait.
        So far (now: 0 s):
          1  0 s  1  (unread)
        Let the event come first, or wait for it: try await in an async test.
        """
    ) {
      synchronously {
        let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
        numbers.record(1)
        _ = try? numbers.elements()
      }
    },
    FailureCase(
      "all values of a source that does not end", at: #line + 11,
      reads: """
        elements() expected the end from "numbers", but none came: 1 ms of real time went by without it.
        So far (now: 0 s):
          1  0 s  1  (unread)
        Was the code under test started? Does it send to the recorded source?
        """
    ) {
      await HangTimeout.shortly {
        let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
        numbers.record(1)
        _ = try? await numbers.elements()
      }
    },
    FailureCase(
      "all values of a source that fails", at: #line + 12,
      reads: """
        elements() expected "numbers" to finish, but it failed: offline.
        So far (now: 0 s):
          1  0 s  1  (unread)
          2  0 s  failed: offline
        To read the values before an error use all(), to read the error failure() or completion().
        """
    ) {
      let numbers = Recorder<Int, Trouble>("numbers", time: .of(TestScheduler()))
      numbers.record(1)
      numbers.record(.failure(.offline))
      _ = try? await numbers.elements()
    },
    FailureCase(
      "the last value of a source that fails", at: #line + 10,
      reads: """
        last() expected "numbers" to finish, but it failed: offline.
        So far (now: 0 s):
          1  0 s  failed: offline
        To read the values before an error use all(), to read the error failure() or completion().
        """
    ) {
      let numbers = Recorder<Int, Trouble>("numbers", time: .of(TestScheduler()))
      numbers.record(.failure(.offline))
      _ = try? await numbers.last()
    },
    FailureCase(
      "the end of a source that goes on", at: #line + 9,
      reads: """
        completion() expected the end from "numbers", but none came: 1 ms of real time went by without it.
        Nothing has come so far (now: 0 s).
        Was the code under test started? Does it send to the recorded source?
        """
    ) {
      await HangTimeout.shortly {
        let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
        _ = try? await numbers.completion()
      }
    },
    FailureCase(
      "a single value of two", at: #line + 13,
      reads: """
        single() expected exactly one value from "numbers", but 2 came.
        So far (now: 0 s):
          1  0 s  1  (unread)
          2  0 s  2  (unread)
          3  0 s  finished  (unread)
        If another number is right, read with elements() or last().
        """
    ) {
      let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
      for number in 1...2 { numbers.record(number) }
      numbers.record(.finished)
      _ = try? await numbers.single()
    },
    FailureCase(
      "a single value of none", at: #line + 10,
      reads: """
        single() expected exactly one value from "numbers", but none came.
        So far (now: 0 s):
          1  0 s  finished
        If another number is right, read with elements() or last().
        """
    ) {
      let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
      numbers.record(.finished)
      _ = try? await numbers.single()
    },
    FailureCase(
      "a prefix that does not come", at: #line + 11,
      reads: """
        prefix(3) expected 3 values from "numbers", but only 1 came: 1 ms of real time went by without it.
        So far (now: 0 s):
          1  0 s  1  (unread)
        Was the code under test started? Does it send to the recorded source?
        """
    ) {
      await HangTimeout.shortly {
        let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
        numbers.record(1)
        _ = try? await numbers.prefix(3)
      }
    },
    FailureCase(
      "a prefix of a negative length", at: #line + 6,
      reads: """
        prefix(-1) must be asked for at least 0 values (was -1). Nothing was read.
        """
    ) {
      let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
      _ = try? await numbers.prefix(-1)
    },
  ]
}
