import Observation
import SleeplessTesting
import Testing

@Suite struct ObservableSourceTests {
  let counter = Counter()

  @Test func `every change is recorded, in order, and none coalesced`() {
    let counts = Recorder(of: counter, \.count)
    counter.count = 1
    counter.count += 1
    counter.count = 1
    counts.expect(0, 1, 2, 1)
    counter.count = 7
    counter.count = 8
    counts.expect(7, 8)
  }

  @Test func `changes of other properties are not recorded`() {
    let counts = Recorder(of: counter, \.count)
    counter.step = 2
    counts.expect(0)
    counts.expectNone()
  }

  @Test func `a change has the time at which it was made`() {
    let scheduler = TestScheduler()
    let counts = Recorder(of: counter, \.count, time: .of(scheduler))
    let counter = Unchecked(counter)
    scheduler.schedule(after: .seconds(1)) { counter.value.count = 1 }
    scheduler.schedule(after: .seconds(3)) { counter.value.count = 3 }
    scheduler.run()
    counts.expect(marbles: "0 1s 1 2s 3")
  }

  @Test func `Observation does not announce a set to an equal value`() {
    let counts = Recorder(of: counter, \.count)
    counter.count = 0
    counter.count = 1
    counter.count = 1
    counts.expect(0, 1)
  }

  @Test func `ten thousand changes are ten thousand events`() {
    let counts = Recorder(of: counter, \.count)
    for number in 1...10_000 { counter.count = number }
    counts.expect(all: Array(0...10_000))
  }

  @Test func `after cancel nothing is recorded`() throws {
    let counts = Recorder(of: counter, \.count)
    counter.count = 1
    counts.cancel()
    counter.count = 2
    #expect(counts.all() == [0, 1])
  }

  @Test func `the object is not kept alive`() {
    weak var object: Counter?
    let counts: Recorder<Int, Never>
    do {
      let counter = Counter()
      object = counter
      counts = Recorder(of: counter, \.count)
      counter.count = 1
      counts.expect(0, 1)
    }
    #expect(object == nil)
    counts.expectNone()
  }

  @Test func `the last value is there even if the object is not`() {
    weak var object: Counter?
    let counts: Recorder<Int, Never>
    do {
      let counter = Counter()
      object = counter
      counts = Recorder(of: counter, \.count)
      counter.count = 1
    }
    counts.expect(0, 1)
    #expect(object == nil)
  }

  @Test func `an unread change does not keep the object beyond the recorder`() {
    weak var object: Counter?
    do {
      let counter = Counter()
      object = counter
      let counts = Recorder(of: counter, \.count, allowsUnread: true)
      counter.count = 1
      withExtendedLifetime(counts) {}
    }
    #expect(object == nil)
  }

  @Test func `the object does not keep the recorder`() {
    weak var core: AnyObject?
    do {
      let counts = Recorder(of: counter, \.count)
      core = counts.observedCore
      counts.expect(0)
    }
    #expect(core == nil)
    counter.count = 1
  }

  @MainActor
  @Test func `W1 a change on the main actor is waited for`() async throws {
    let model = MainModel()
    let names = Recorder(of: model, \.name)
    Task { model.rename() }
    await names.expect("", "A", "Ada")
  }

  @MainActor
  @Test func `unread changes on the main actor fail at the end, with what is known`() {
    let failures = failures {
      let model = MainModel()
      let names = Recorder(of: model, \.name, "names", time: .of(TestScheduler()))
      names.expect("")
      model.rename()
    }
    #expect(failures.map(\.text.firstLine) == ["2 events of \"names\" were never read:"])
    #expect(failures.first?.text.contains("2  0 s  \"A\"  (unread)") == true)
  }
}

@MainActor @Observable private final class MainModel {
  var name = ""

  func rename() {
    name = "A"
    name = "Ada"
  }
}

/// Unchecked because the tests use it on one thread.
private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
