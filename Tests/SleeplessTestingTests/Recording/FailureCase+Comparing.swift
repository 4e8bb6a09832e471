import SleeplessTesting
import VirtualTime

// The failures of recorders whose events differ from the expected ones. FailureMessages.md shows some of
// the texts.

extension FailureCase {
  static let comparing = [
    FailureCase(
      "a sequence that differs", at: #line + 17,
      reads: """
        "states" differs from what was expected, first at event 3:
             expected       actual
          1  initial          0 s  initial
          2  loading          0 s  loading
        > 3  loaded("Ada")  1.5 s  failed(Trouble.offline)
        * 4  -              1.5 s  finished
        """
    ) {
      let scheduler = TestScheduler()
      let states = Recorder<Screen, Never>("states", time: .of(scheduler))
      states.record(.initial)
      states.record(.loading)
      await scheduler.advance(by: .milliseconds(1_500))
      states.record(.failed(.offline))
      states.record(.finished)
      await states.expect(.initial, .loading, .loaded("Ada"))
    },
    FailureCase(
      "one event missing among many", at: #line + 16,
      reads: """
        "numbers" differs from what was expected, first at event 101:
               expected  actual
               ... 97 equal
           98  98        98
           99  99        99
          100  100       100
        > 101  101       -
          102  102       102
          103  103       103
          104  104       104
        """
    ) {
      let numbers = Recorder<Int, Never>("numbers")
      for number in 1...104 where number != 101 { numbers.record(number) }
      numbers.expect(all: Array(1...104))
    },
    FailureCase(
      "many events too many", at: #line + 24,
      reads: """
        "numbers" differs from what was expected, first at event 2:
              expected  actual
           1  1         1
        >  2  -         2
        *  3  -         3
        *  4  -         4
        *  5  -         5
        *  6  -         6
        *  7  -         7
        *  8  -         8
        *  9  -         9
        * 10  -         10
        * 11  -         11
        * 12  -         12
        * 13  -         13
        * 14  -         14
        * 15  -         15
              ... 0 more expected, 85 more came
        """
    ) {
      let numbers = Recorder<Int, Never>("numbers")
      for number in 1...100 { numbers.record(number) }
      await numbers.expect(1)
    },
    FailureCase(
      "a difference at the end of a long text", at: #line + 12,
      reads: """
        "states" differs from what was expected, first at event 1:
             expected                                      actual
        > 1  loaded("Ada Lovelace, who wrote the first...  loaded("Ada Lovelace, who wrote the first...
        expected  loaded("Ada Lovelace, who wrote the first program")
        actual    loaded("Ada Lovelace, who wrote the first programme")
                                                                   ^
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      states.record(.loaded("Ada Lovelace, who wrote the first programme"))
      await states.expect(.loaded("Ada Lovelace, who wrote the first program"))
    },
    FailureCase(
      "values that print the same", at: #line + 10,
      reads: """
        "values" differs from what was expected, first at event 1:
             expected  actual
        > 1  Unequal   Unequal
        Unequal and Unequal print the same and are not equal.
        """
    ) {
      let values = Recorder<Unequal, Never>("values")
      values.record(Unequal())
      await values.expect(Unequal())
    },
    FailureCase(
      "a sequence of which work is still pending", at: #line + 16,
      reads: """
        "states" differs from what was expected, first at event 2:
             expected  actual
          1  initial   initial
        > 2  loading   -
        Pending in virtual time:
          at 2 s: "answer", FailureCase+Comparing.swift:\(#line + 8)
        Move time first: advance(by:) or run().
        """
    ) {
      synchronously {
        let scheduler = TestScheduler(allowsPendingWork: true)
        let states = Recorder<Screen, Never>("states", time: .of(scheduler))
        states.record(.initial)
        scheduler.schedule(after: .seconds(2), label: "answer") { states.record(.loading) }
        states.expect(.initial, .loading)
      }
    },
    FailureCase(
      "a sequence that does not go on", at: #line + 12,
      reads: """
        "states" differs from what was expected, first at event 2:
             expected         actual
          1  initial          initial
        > 2  failed: offline  -
        No more came in 1 ms of real time (now: 0 s).
        """
    ) {
      await HangTimeout.shortly {
        let states = Recorder<Screen, Trouble>("states", time: .of(TestScheduler()))
        states.record(.initial)
        await states.expect(.initial, then: .failure(.offline))
      }
    },
    FailureCase(
      "a sequence that cannot go on", at: #line + 10,
      reads: """
        "states" differs from what was expected, first at event 1:
             expected  actual
        > 1  initial   -
        No more can come: nothing is left to run.
        """
    ) {
      await RecorderWait.$observer.withValue(.init { $0.giveUp("nothing is left to run") }) {
        let states = Recorder<Screen, Trouble>("states")
        await states.expect(.initial)
      }
    },
    FailureCase(
      "a comparison after the test", at: #line + 5,
      reads: "expect() was called on \"states\" after its test ended. Make a recorder in each test."
    ) {
      let states = Recorder<Screen, Never>("states")
      states.checkAtEnd()
      await states.expect()
    },
    FailureCase(
      "marbles that differ by their time", at: #line + 20,
      reads: """
        "states" differs from its marbles, first at event 3:
        expected  initial loading 10ms loaded("Ada") |
        actual    initial loading 12ms loaded("Ada") |
                                   ^
             expected              actual
          1    0 s  initial          0 s  initial
          2    0 s  loading          0 s  loading
        > 3  10 ms  loaded("Ada")  12 ms  loaded("Ada")
        * 4  10 ms  |              12 ms  |
        """
    ) {
      let scheduler = TestScheduler()
      let states = Recorder<Screen, Never>("states", time: .of(scheduler))
      states.record(.initial)
      states.record(.loading)
      scheduler.advance(by: .milliseconds(12))
      states.record(.loaded("Ada"))
      states.record(.finished)
      states.expect(marbles: "initial loading 10ms loaded(\"Ada\") |")
    },
    FailureCase(
      "marbles by name", at: #line + 16,
      reads: """
        "states" differs from its marbles, first at event 2:
        expected  i l #
        actual    i d #offline
                    ^
             expected  actual
          1  i         i
        > 2  l         d
          3  #         #offline
        """
    ) {
      let states = Recorder<Screen, Trouble>("states")
      states.record(.initial)
      states.record(.loaded("Ada"))
      states.record(.failure(.offline))
      states.expect(
        marbles: "i l #", ["i": .initial, "l": .loading, "d": .loaded("Ada")])
    },
    FailureCase(
      "marbles without what comes", at: #line + 12,
      reads: """
        "states" differs from its marbles, first at event 1:
        expected  nothing
        actual    initial
                  ^
             expected  actual
        > 1  -         initial
        """
    ) {
      let states = Recorder<Screen, Trouble>("states")
      states.record(.initial)
      states.expect(marbles: "")
    },
    FailureCase(
      "marbles that end later than now", at: #line + 10,
      reads: """
        "states" was compared too early: its marbles end at 2 s, and it is 1 s: "initial 2s".
        Move time first: advance(by: ...).
        """
    ) {
      let scheduler = TestScheduler()
      let states = Recorder<Screen, Never>("states", time: .of(scheduler))
      states.record(.initial)
      scheduler.advance(by: .seconds(1))
      states.expect(marbles: "initial 2s")
    },
    FailureCase(
      "marbles in real time", at: #line + 7,
      reads: """
        The marbles "initial 2s" cannot be compared: they have durations, and "states" writes real \
        time, which is never exact. Make it with time: .of(scheduler), or leave the durations out.
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      states.expect(marbles: "initial 2s")
    },
    FailureCase(
      "marbles with a name of no value", at: #line + 6,
      reads: """
        The marbles "a-b" cannot be compared: no value is called "a-b" (there are: a, b).
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      states.expect(marbles: "a-b", ["a": .initial, "b": .loading])
    },
    FailureCase(
      "marbles in another notation", at: #line + 7,
      reads: """
        The marbles "-a--b-|" cannot be read: "-a--b-|" is of another notation: here blanks separate \
        events, as in a 10ms b |.
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      states.expect(marbles: "-a--b-|", ["a": .initial, "b": .loading])
    },
    FailureCase(
      "marbles with free dashes", at: #line + 6,
      reads: """
        The marbles "a -- b" cannot be read: "--" is no duration: write 10ms or 1.5s.
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      states.expect(marbles: "a -- b")
    },
    FailureCase(
      "marbles that go on after the end", at: #line + 6,
      reads: """
        The marbles "a | b" cannot be read: nothing can follow the end, and "b" does.
        """
    ) {
      let states = Recorder<Screen, Never>("states")
      states.expect(marbles: "a | b")
    },
  ]
}
