import SleeplessTesting
import Testing

@Suite struct ComparingTests {
  let scheduler = TestScheduler()

  @Test func `an equal sequence passes and is read`() {
    let states = Recorder<Screen, Trouble>()
    states.record(.initial)
    states.record(.loading)
    states.expect(.initial, .loading)
    states.record(.failure(.offline))
    states.expect(then: .failure(.offline))
    states.expectNone()
  }

  @Test func `an end that is not expected is a difference`() {
    let failures = failures {
      let states = Recorder<Screen, Trouble>()
      states.record(.finished)
      states.expect()
    }
    #expect(failures.count == 1)
  }

  @Test func `errors that are not Equatable are equal if they print the same`() {
    struct Plain: Error { let code: Int }
    let states = Recorder<Screen, any Error>()
    states.record(.failure(Plain(code: 1)))
    states.expect(then: .failure(Plain(code: 1)))
    let failures = failures {
      let states = Recorder<Screen, any Error>()
      states.record(.failure(Plain(code: 1)))
      states.expect(then: .failure(Plain(code: 2)))
    }
    #expect(failures.count == 1)
  }

  @Test func `a list of values is compared as a whole`() {
    let numbers = Recorder<Int, Never>()
    for number in 0..<10_000 { numbers.record(number) }
    numbers.expect(all: Array(0..<10_000))
  }

  // MARK: Marbles

  @Test func `a line of marbles gives the events and their times`() {
    let states = Recorder<Screen, Never>(time: .of(scheduler))
    states.record(.initial)
    scheduler.schedule(after: .milliseconds(1_500)) { states.record(.loading) }
    scheduler.schedule(after: .seconds(62)) { states.record(.finished) }
    scheduler.run()
    states.expect(marbles: "initial 1.5s loading 1m 500ms |")
  }

  @Test func `a symbol takes no time`() {
    let letters = Recorder<String, Trouble>(time: .of(scheduler))
    for letter in ["a", "b", "c"] { letters.record(letter) }
    scheduler.advance(by: .milliseconds(10))
    letters.record("d")
    letters.record(.failure(.offline))
    letters.expect(marbles: "a b c 10ms d #offline")
  }

  @Test func `times count from the making of the recorder`() {
    scheduler.advance(by: .seconds(60))
    let states = Recorder<Screen, Never>(time: .of(scheduler))
    scheduler.advance(by: .seconds(1))
    states.record(.initial)
    states.expect(marbles: "1s initial")
    scheduler.advance(by: .seconds(1))
    states.record(.loading)
    states.expect(marbles: "2s l", ["l": .loading])
  }

  @Test func `a duration at the end says that time has moved on by so much`() {
    let states = Recorder<Screen, Never>(time: .of(scheduler))
    states.record(.initial)
    scheduler.advance(by: .seconds(2))
    states.expect(marbles: "initial 2s")
  }

  @Test func `in real time a line without durations is compared without times`() {
    let states = Recorder<Screen, Never>()
    states.record(.loaded("Ada Lovelace"))
    states.record(.finished)
    states.expect(marbles: "loaded(\"Ada Lovelace\") |")
  }

  @Test(arguments: [
    ("10ms", Duration.milliseconds(10)), ("1.5s", .milliseconds(1_500)), ("2m", .seconds(120)),
    ("1h", .seconds(3_600)), ("7ns", .nanoseconds(7)), ("8us", .microseconds(8)),
    ("8µs", .microseconds(8)), ("0.001s 1ms", .milliseconds(2)),
  ])
  func `durations are read exactly`(text: String, duration: Duration) {
    scheduler.advance(by: .seconds(1))
    let states = Recorder<Screen, Never>(time: .of(scheduler))
    scheduler.advance(by: duration)
    states.record(.initial)
    states.expect(marbles: "\(text) initial")
  }

  @Test(arguments: ["1x", ".5s", "1.s", "1.2.3s", "s", "12", "-1", "4f-5e", "a-b"])
  func `a word that is no duration is a symbol`(word: String) {
    let words = Recorder<String, Never>()
    words.record(word)
    words.expect(marbles: word)
  }
}
