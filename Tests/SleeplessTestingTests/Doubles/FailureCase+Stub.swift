import SleeplessTesting
import VirtualTime

// The failures of spies and stubs. FailureMessages.md shows some of the texts.

extension FailureCase {
  static let stubs = [
    FailureCase(
      "a wait for a call that does not come", at: #line + 12,
      reads: """
        next() expected a call from "save", but none came: 1 ms of real time went by without it.
        So far (now: 0 s):
          1  0 s  "Ada"
        Was the code under test started? Does it call this double?
        """
    ) {
      await HangTimeout.shortly {
        let save = Spy<String>("save", time: .of(TestScheduler()))
        save("Ada")
        _ = try? await save.next()
        _ = try? await save.next()
      }
    },
    FailureCase(
      "unread calls, where they are not allowed", at: #line + 9,
      reads: """
        1 event of "save" was never read:
          1  0 s  ("Ada", 36)
          2  0 s  ("Tom", 9)  (unread)
        Read the events that matter to the test with next(), expect() or all(), and leave out the \
        others with skip(). If none matters, make the recorder with allowsUnread: true.
        """
    ) {
      let save = Spy<(String, Int)>("save", time: .of(TestScheduler()), allowsUnread: false)
      save("Ada", 36)
      save("Tom", 9)
      _ = try? await save.next()
    },
    FailureCase(
      "a spy called after its test", at: #line + 8,
      reads: """
        "save" was called after its test had ended, with "Tom".
        So far (now: 0 s):
          1  0 s  "Ada"
        Something that the test started still runs. Let the test wait for it, or stop it.
        """
    ) {
      let save = Spy<String>("save", time: .of(TestScheduler()))
      save("Ada")
      save.checkAtEnd()
      save("Tom")
      save("Eve")
    },
    FailureCase(
      "a stub without an answer", at: #line + 9,
      reads: """
        "user" was called with 7, and it has no answer for that.
        So far (now: 0 s):
          1  0 s  7
        Give one before the call: always(.value(...)) for every call, inTurn(...) for the next ones, either \
        with for: or where: for some.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      _ = try? await user(7)
    },
    FailureCase(
      "a stub that has answers for other arguments only", at: #line + 10,
      reads: """
        "user" was called with 7, and it has no answer for that.
        So far (now: 0 s):
          1  0 s  1
          2  0 s  7
        Give one before the call: always(.value(...)) for every call, inTurn(...) for the next ones, either \
        with for: or where: for some.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.value("Ada"), for: 1)
      _ = try? await user(1)
      _ = try? await user(7)
    },
    FailureCase(
      "a function that cannot throw and has no answer", at: #line + 9,
      reads: """
        "count" was called, and it has no answer for that.
        So far (now: 0 s):
          1  0 s  ()
        Give one before the call: always(.value(...)) for every call, inTurn(...) for the next ones, either \
        with for: or where: for some.
        """
    ) {
      let count = Stub<Void, Int>("count", time: .of(TestScheduler()))
      _ = count.now(orReturn: 0)
    },
    FailureCase(
      "a stub whose answers are used up", at: #line + 11,
      reads: """
        "user" was called with 3 when its 2 answers in turn, given in FailureCase+Stub.swift:\(#line + 10), had been used up.
        So far (now: 0 s):
          1  0 s  1
          2  0 s  2
          3  0 s  3
        Either the code calls too often, or it needs more answers: more in turn, or always(...) for those \
        that follow.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.inTurn(.value("Ada"), .error(Trouble.offline))
      for id in 1...3 { _ = try? await user(id) }
    },
    FailureCase(
      "no answers in turn", at: #line + 6,
      reads: """
        inTurn() must be given at least 1 answer (was 0).
        """
    ) {
      let user = Stub<Int, String>("user")
      user.inTurn()
    },
    FailureCase(
      "answers in turn that no call has asked for", at: #line + 9,
      reads: """
        2 of 3 answers in turn of "user", given in FailureCase+Stub.swift:\(#line + 8), were never asked for.
        So far (now: 0 s):
          1  0 s  1
        Either the code calls less often than the test expects, or the test ends too early. Answers \
        that need not be used are given with always(...).
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.inTurn(.value("Ada"), .value("Tom"), .value("Eve"))
      _ = try? await user(1)
    },
    FailureCase(
      "a second answer before the first is used", at: #line + 10,
      reads: """
        always(_:) gave "user" another answer before any call had the one given in FailureCase+Stub.swift:\(#line + 7).
        Nothing has come so far (now: 0 s).
        The newer one counts. For two answers one after the other use inTurn(...). Pass a default \
        that tests replace as the stub's default:.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.value("Ada"))
      user.always(.value("Tom"))
    },
    FailureCase(
      "a second answer for an argument before the first is used", at: #line + 11,
      reads: """
        always(_:for:) gave "user" another answer before any call had the one given in FailureCase+Stub.swift:\(#line + 7).
        Nothing has come so far (now: 0 s).
        The newer one counts. For two answers one after the other use inTurn(...). Pass a default \
        that tests replace as the stub's default:.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.value("Ada"), for: 1)
      user.always(.value("Eve"), for: 2)
      user.always(.value("Tom"), for: 1)
    },
    FailureCase(
      "a synchronous call whose answer is held back", at: #line + 10,
      reads: """
        "user" was called with 7 without await, and its answer, given in FailureCase+Stub.swift:\(#line + 9), is held back by the gate "user".
        So far (now: 0 s):
          1  0 s  7
        A synchronous function returns at once: give it a value or an error. Held and delayed answers \
        are for async functions and for completion handlers.
        """
    ) {
      let gate = Gate<String>("user")
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.held(by: gate))
      _ = try? user.now(7)
    },
    FailureCase(
      "a synchronous call whose answer comes later", at: #line + 9,
      reads: """
        "user" was called with 7 without await, and its answer, given in FailureCase+Stub.swift:\(#line + 8), comes after 2 s.
        So far (now: 0 s):
          1  0 s  7
        A synchronous function returns at once: give it a value or an error. Held and delayed answers \
        are for async functions and for completion handlers.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.after(.seconds(2), .value("Ada")))
      _ = try? user.now(7)
    },
    FailureCase(
      "a delay without virtual time", at: #line + 7,
      reads: """
        "user" was to answer after 2 s, as given in FailureCase+Stub.swift:\(#line + 6), but there is no virtual time.
        No simulation runs the call, and the answer's scheduler or clock, if any, has been released. \
        Give the test the trait .simulated, or pass a clock and keep it: .after(..., on: clock, ...).
        """
    ) {
      let user = Stub<Int, String>("user")
      user.always(.after(.seconds(2), .value("Ada")))
      _ = try? await user(7)
    },
    FailureCase(
      "a delay on a clock that is gone", at: #line + 7,
      reads: """
        "user" was to answer after 2 s, as given in FailureCase+Stub.swift:\(#line + 6), but there is no virtual time.
        No simulation runs the call, and the answer's scheduler or clock, if any, has been released. \
        Give the test the trait .simulated, or pass a clock and keep it: .after(..., on: clock, ...).
        """
    ) {
      let user = Stub<Int, String>("user")
      user.always(.after(.seconds(2), on: TestClock(), .value("Ada")))
      user(7) { _ in }
    },
    FailureCase(
      "an error for a function that cannot throw", at: #line + 8,
      reads: """
        "user" was to throw offline, but the function that it stands in for cannot throw.
        So far (now: 0 s):
          1  0 s  7
        Give it a value, with always(.value(...)) or inTurn(...).
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.error(Trouble.offline))
      _ = await user(7, orReturn: "nobody")
    },
    FailureCase(
      "an error that the function does not throw", at: #line + 9,
      reads: """
        "user" was to throw CancellationError(), which is a CancellationError, but the function that it \
        stands in for throws Trouble alone.
        So far (now: 0 s):
          1  0 s  7
        Give it an error of that type.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.error(CancellationError()))
      _ = try? await user(7, orThrow: Trouble.offline)
    },
    FailureCase(
      "a stub called after its test", at: #line + 7,
      reads: """
        "user" was called after its test had ended, with 7.
        Nothing has come so far (now: 0 s).
        Something that the test started still runs. Let the test wait for it, or stop it.
        """
    ) {
      let user = Stub<Int, String>("user", time: .of(TestScheduler()))
      user.always(.value("Ada"))
      user.checkAtEnd()
      _ = try? await user(7)
      _ = try? await user(8)
    },
  ]
}
