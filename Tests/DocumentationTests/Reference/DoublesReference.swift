// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The examples on the pages of gates and the calls that they hold.
@Suite struct GatesReference: PrintingSuite {
  let log = Locked<[String]>([])

  @Test func `a call waits until the test answers`() async throws {
    let search = Gate<Int>("search")
    let found = Task { try await search("swift") }
    let call = try await search.entered()
    call.succeed(with: 42)
    #expect(try await found.value == 42)
  }

  @Test func `a callback is called when the test answers`() throws {
    let search = Gate<Int>("search")
    let answers = Recorder<Int, Never>("answers")
    search("swift") { result in answers.record((try? result.get()) ?? 0) }
    try search.entered().succeed(with: 42)
    answers.expect(42)  // succeed(with:) has called back
  }

  @Test func `calls are answered in another order`() throws {
    let answers = Recorder<Int, Never>("answers")
    let load = Gate<Int>("load")
    for _ in 1...2 { load { answers.record((try? $0.get()) ?? 0) } }
    let second = try load.entered(2)
    second.succeed(with: 20)
    load.succeed(with: 10)  // the first call: it has been in flight longest
    answers.expect(20, 10)
  }

  @Test func `a later call is awaited`() async throws {
    let load = Gate<Int>("load")
    let loading = Task { [try await load(), try await load()] }
    try await load.entered(1).succeed(with: 10)
    try await load.entered(2).succeed(with: 20)
    #expect(try await loading.value == [10, 20])
  }

  @Test func `calls in flight are listed`() throws {
    let load = Gate<Int>("load")
    for page in 1...3 { load(page) { _ in } }
    try load.entered(2).succeed(with: 0)
    #expect(load.inFlight.map(\.number) == [1, 3])
    for call in load.inFlight { call.succeed(with: 0) }
  }

  @Test func `a call is in flight until it is answered`() throws {
    let load = Gate<Int>("load")
    load("page 1") { _ in }
    let call = try load.entered()
    #expect(call.isInFlight)
    call.succeed(with: 1)
    #expect(!call.isInFlight)
  }

  @Test func `the call in flight longest is answered`() {
    let answers = Recorder<Int, Never>("answers")
    let load = Gate<Int>("load")
    for _ in 1...2 { load { answers.record((try? $0.get()) ?? 0) } }
    load.succeed(with: 10)
    load.succeed(with: 20)
    answers.expect(10, 20)  // in the order of the calls
  }

  @Test func `the call in flight longest throws`() async throws {
    let load = Gate<Int>("load")
    let loading = Task { try await load() }
    _ = try await load.entered()
    load.fail(with: Trouble.offline)
    await #expect(throws: Trouble.offline) { try await loading.value }
  }

  @Test func `the call in flight longest returns`() async throws {
    let save = Gate<Void>("save")
    let saving = Task { try await save() }
    _ = try await save.entered()
    save.succeed()
    try await saving.value
  }

  @Test func `a call returns`() async throws {
    let save = Gate<Void>("save")
    let saving = Task { try await save() }
    let call = try await save.entered()
    call.succeed()  // with one call in flight, save.succeed() does the same
    try await saving.value
  }

  @Test func `a call throws`() async throws {
    let load = Gate<Int>("load")
    let loading = Task { try await load() }
    let call = try await load.entered()
    call.fail(with: Trouble.offline)
    await #expect(throws: Trouble.offline) { try await loading.value }
  }

  @Test func `a call is cancelled`() async throws {
    let load = Gate<Int>("load")
    let loading = Task { try await load() }
    let call = try await load.entered()
    loading.cancel()
    try await call.cancelled()
    #expect(call.isCancelled)
    await #expect(throws: CancellationError.self) { try await loading.value }
  }

  @Test func `gates and calls print their state`() throws {
    let search = Gate<Int>("search")
    search("swift") { _ in }
    let call = try search.entered()
    print(call)  // "swift": in flight
    print(search)  // "search", and a line for each call
    call.succeed(with: 0)
    #expect(printed.first == "\"swift\": in flight")
    #expect(printed.last?.hasPrefix("\"search\"\n") == true)
  }
}

/// The examples on the pages of spies.
@Suite struct SpiesReference {
  @Test func `a spy sees calls`() {
    let save = Spy<(String, Int)>("save")
    save("Ada", 36)
    save("Tom", 7)
    #expect(save.count == 2)
    #expect(save.last?.0 == "Tom")
    #expect(save.arguments.map(\.1) == [36, 7])
  }

  @Test func `a spy notes the times of calls`() {
    let scheduler = TestScheduler()
    let save = Spy<String>("save", time: .of(scheduler))
    scheduler.advance(by: .seconds(2))
    save("Ada")
    #expect(save.all == [SpyCall(arguments: "Ada", time: .seconds(2))])
  }

  @Test func `a call is read`() throws {
    let save = Spy<String>("save")
    save("Ada")
    #expect(try save.next() == "Ada")  // a second next() would fail the test
    #expect(save.count == 1)  // reading changes nothing here
  }

  @Test func `a call is awaited`() async throws {
    let save = Spy<String>("save")
    Task { save("Ada") }
    #expect(try await save.next() == "Ada")  // waits for the call, not for a time
  }

  @Test func `calls are read as events`() {
    let save = Spy<String>("save")
    save("Ada")
    save("Tom")
    save.recorder.expect("Ada", "Tom")
  }

  @Test func `spies and calls print what they saw`() {
    let scheduler = TestScheduler()
    let save = Spy<String>("save", time: .of(scheduler))
    scheduler.advance(by: .seconds(2))
    save("Ada")
    print(save.all[0])  // "Ada" at 2 s
    print(save)  // "save", and a line for each call
    #expect("\(save.all[0])" == "\"Ada\" at 2 s")
    #expect("\(save)".hasPrefix("\"save\"\n"))
  }
}

/// The examples on the pages of stubs and their answers.
@Suite struct StubsReference {
  @Test func `a synchronous call is answered`() throws {
    let age = Stub<String, Int>("age", default: .value(36))
    #expect(try age.now("Ada") == 36)
  }

  @Test func `a call is answered, and seen`() async throws {
    let age = Stub<String, Int>("age", default: .value(36))
    #expect(try await age("Ada") == 36)
    #expect(age.calls.arguments == ["Ada"])
  }

  @Test func `a completion handler is called`() {
    let age = Stub<String, Int>("age", default: .value(36))
    let answers = Recorder<Int, Never>("answers")
    age("Ada") { result in answers.record((try? result.get()) ?? 0) }
    answers.expect(36)  // called before the call returned
  }

  @Test func `a call that cannot throw is answered`() {
    struct SearchMock {
      let fetch = Stub<String, [String]>("fetch")
      func found(_ query: String) -> [String] { fetch.now(query, orReturn: []) }
    }
    let search = SearchMock()
    search.fetch.always(.value(["Ada"]))
    #expect(search.found("a") == ["Ada"])  // [] only after a failure of the test
  }

  @Test func `an async call that cannot throw is answered`() async {
    struct SearchMock {
      let fetch = Stub<String, [String]>("fetch")
      func found(_ query: String) async -> [String] { await fetch(query, orReturn: []) }
    }
    let search = SearchMock()
    search.fetch.always(.value(["Ada"]))
    #expect(await search.found("a") == ["Ada"])  // [] after a failure or a cancellation
  }

  @Test func `a completion handler that takes no error is called`() {
    let fetch = Stub<String, [String]>("fetch", default: .value(["Ada"]))
    let answers = Recorder<[String], Never>("answers")
    fetch("a", orReturn: []) { names in answers.record(names) }
    answers.expect(["Ada"])  // [] only after a failure of the test
  }

  @Test func `a call throws an error of one type`() {
    struct PeopleMock {
      let fetch = Stub<String, Int>("fetch")
      func age(_ name: String) throws(Trouble) -> Int {
        try fetch.now(name, orThrow: Trouble.offline)
      }
    }
    let people = PeopleMock()
    people.fetch.always(.error(Trouble.signedOut))
    #expect(throws: Trouble.signedOut) { try people.age("Ada") }
  }

  @Test func `an async call throws an error of one type`() async {
    struct PeopleMock {
      let fetch = Stub<String, Int>("fetch")
      func age(_ name: String) async throws(Trouble) -> Int {
        try await fetch(name, orThrow: Trouble.offline)
      }
    }
    let people = PeopleMock()
    people.fetch.always(.error(Trouble.signedOut))
    await #expect(throws: Trouble.signedOut) { try await people.age("Ada") }
  }

  @Test func `a completion handler takes an error of one type`() {
    let age = Stub<String, Int>("age", default: .error(Trouble.signedOut))
    let answers = Recorder<Result<Int, Trouble>, Never>("answers")
    age("Ada", orThrow: Trouble.offline) { answers.record($0) }
    answers.expect(.failure(.signedOut))  // .offline only after a failure of the test
  }

  @Test func `a stub prints its calls`() throws {
    let age = Stub<String, Int>("age", default: .value(36))
    _ = try age.now("Ada")
    print(age)  // "age", and a line for each call
    #expect("\(age)".hasPrefix("\"age\"\n"))
  }

  @Test func `every call gets the same answer`() throws {
    let age = Stub<String, Int>("age")
    age.always(.value(36))
    #expect(try age.now("Ada") == 36)
    age.always(.value(37))
    #expect(try age.now("Ada") == 37)  // the latest answer counts
  }

  @Test func `a closure answers`() throws {
    let length = Stub<String, Int>("length")
    length.always { text in text.count }
    #expect(try length.now("Ada") == 3)
  }

  @Test func `calls that meet a condition get an answer`() throws {
    let age = Stub<String, Int>("age", default: .value(36))
    age.always(.error(Trouble.offline), where: { $0.isEmpty })
    #expect(throws: Trouble.offline) { try age.now("") }
    #expect(try age.now("Ada") == 36)
  }

  @Test func `answers come in turn`() throws {
    let age = Stub<String, Int>("age", default: .value(36))
    age.inTurn(.error(Trouble.offline), .value(7))
    #expect(throws: Trouble.offline) { try age.now("Ada") }
    #expect(try age.now("Ada") == 7)
    #expect(try age.now("Ada") == 36)  // without a default the third call would fail the test
  }

  @Test func `answers come in turn to calls that meet a condition`() throws {
    let age = Stub<String, Int>("age", default: .value(36))
    age.inTurn(.value(7), where: { $0.hasPrefix("T") })
    #expect(try age.now("Ada") == 36)
    #expect(try age.now("Tom") == 7)
  }

  @Test func `calls with an argument get an answer`() throws {
    let age = Stub<String, Int>("age", default: .value(36))
    age.always(.value(7), for: "Tom")
    #expect(try age.now("Tom") == 7)
    #expect(try age.now("Ada") == 36)
  }

  @Test func `answers come in turn to calls with an argument`() throws {
    let age = Stub<String, Int>("age", default: .value(36))
    age.inTurn(.value(7), .value(8), for: "Tom")
    #expect(try age.now("Tom") == 7)
    #expect(try age.now("Ada") == 36)
    #expect(try age.now("Tom") == 8)
  }

  @Test func `an answer is a value or an error`() async throws {
    let age = Stub<String, Int>("age")
    age.inTurn(.value(36), .error(Trouble.offline))
    #expect(try await age("Ada") == 36)
    await #expect(throws: Trouble.offline) { try await age("Ada") }
  }

  @Test func `a gate holds an answer`() async throws {
    let gate = Gate<Int>("answer")
    let age = Stub<String, Int>("age", default: .held(by: gate))
    let asking = Task { try await age("Ada") }
    try await gate.entered().succeed(with: 36)
    #expect(try await asking.value == 36)
  }

  @Test(.simulated) func `an answer takes virtual time`() async throws {
    let age = Stub<String, Int>("age", default: .after(.seconds(2), .value(36)))
    #expect(try await age("Ada") == 36)
    #expect(Simulation.current?.now == .seconds(2))
  }

  @Test func `an answer takes a scheduler's time`() {
    let scheduler = TestScheduler()
    let age = Stub<String, Int>("age")
    age.always(.after(.seconds(2), on: scheduler, .value(36)))
    let answers = Recorder<Int, Never>("answers", time: .of(scheduler))
    age("Ada") { answers.record((try? $0.get()) ?? 0) }
    scheduler.run()
    answers.expect(marbles: "2s 36")
  }

  @Test func `an answer takes a clock's time`() async throws {
    let clock = TestClock()
    let age = Stub<String, Int>("age", default: .after(.seconds(2), on: clock, .value(36)))
    let asking = Task { try await age("Ada") }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(2))
    #expect(try await asking.value == 36)
  }

  @Test func `an answer is just a return`() async throws {
    let save = Stub<String, Void>("save")
    save.inTurn(.error(Trouble.offline), .value())
    await #expect(throws: Trouble.offline) { try await save("Ada") }
    try await save("Ada")  // returns
  }
}
