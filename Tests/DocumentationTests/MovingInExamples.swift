import Dispatch
import SleeplessTesting
import Testing
import TestSupport
import XCTest

// Every Swift block of the pages "From …", to the letter, and each line in the second column of their tables.

private final class AnswerService: Sendable {
  func fetchName(_ answer: @escaping @Sendable (String) -> Void) {
    DispatchQueue.main.async { answer("Ada") }
  }
}

@Suite(.needs(.capture)) struct FromClocksAndSchedulersExamples {
  @Test func `the poller asks each minute`() async {
    let clock = TestClock()
    let poller = Poller(clock: clock)
    let task = Task { try await poller.run() }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(180))
    await clock.waitForSleepers()
    #expect(await poller.count == 3)
    task.cancel()
  }

  @Test func `lines of the table`() async throws {
    let clock = TestClock(now: VirtualInstant(offset: .seconds(5)))
    let task = Task {
      for try await elapsed in clock.timer(every: .seconds(1)) where elapsed == .seconds(2) {
        return
      }
    }
    await clock.advance(by: .seconds(1))
    await clock.run()
    await clock.expectNoSleepers()
    try await task.value

    try await ImmediateClock().sleep(for: .seconds(1))
    _ = UnimplementedClock()
    let scheduler = TestScheduler()
    let queues: [any SchedulerType] = [scheduler, DispatchQueue.main]
    queues[0].schedule(after: .seconds(1)) {}
    var tokens: Set<SubscriptionToken> = []
    scheduler.schedule(after: .seconds(1)) {}.store(in: &tokens)
    await scheduler.advance(by: .seconds(1))
    let sleep = Task { try await scheduler.sleep(for: .seconds(1)) }
    await scheduler.run()
    try await sleep.value
    #expect(await scheduler.measure { await scheduler.advance(by: .seconds(1)) } == .seconds(1))
    _ = MainThreadScheduler()
    #if canImport(Combine)
      _ = scheduler.combine()
    #endif
  }
}

final class FromClocksAndSchedulersTeardownExamples: XCTestCase {
  func testATimerThatATeardownBlockCancels() {
    let scheduler = TestScheduler()
    let timer = scheduler.timer(every: .seconds(1)).sink { _ in }
    addTeardownBlock { timer.cancel() }
    scheduler.advance(by: .seconds(3))
  }
}

@Suite struct FromCombineExpectationsExamples {
  private let publisher = EventSubject<Int, Never>()

  private func send() {
    for number in 1...2 { publisher.send(number) }
    publisher.send(completion: .finished)
  }

  @Test func `the numbers come in order`() async throws {
    let recorder = Recorder(publisher)
    send()
    #expect(try await recorder.elements() == [1, 2])
  }

  @Test func `lines of the table`() async throws {
    let recorder = Recorder(publisher)
    await recorder.expectNone()
    send()
    #expect(try await recorder.next(2) == [1, 2])
    try await recorder.finish()
    #expect(try await recorder.completion() == .finished)
    #expect(try await recorder.last() == 2)
    #expect(try await recorder.prefix(2) == [1, 2])
    #expect(recorder.all() == [1, 2])
  }

  @Test func `a single value, and a whole recording`() async throws {
    let (publisher, one) = (EventSubject<Int, Never>(), EventSubject<Int, Never>())
    let whole = Recorder(publisher)
    do {
      let recorder = Recorder(one)
      one.send(1)
      one.send(completion: .finished)
      #expect(try await recorder.single() == 1)
    }
    publisher.send(completion: .finished)
    await whole.expect(then: .finished)
    let recorder = Recorder(self.publisher)
    send()
    await recorder.expect(1, 2, then: .finished)
  }
}

final class FromExpectationsExamples: XCTestCase {
  private let service = AnswerService()

  func testAnswer() throws {
    let answers = Recorder<String, Never>("answers")
    service.fetchName { answers.record($0) }
    XCTAssertEqual(try answers.waitForNext(), "Ada")
  }

  func testLinesOfTheTables() async throws {
    try Need.capture.orSkip()
    let (answers, model) = (Recorder<String, Never>("answers"), LoadingModel())
    for _ in 1...3 { service.fetchName { answers.record($0) } }
    let names = try await answers.next(3)
    XCTAssertEqual(names, ["Ada", "Ada", "Ada"])
    await answers.expectNone()
    Task { model.load() }
    await settle()
    XCTAssertTrue(model.isLoaded)
    await eventually { model.isLoaded }
  }

  func testASynchronousReadOfAPublisher() throws {
    let publisher = EventSubject<Int, Never>()
    let recorder = Recorder(publisher)
    DispatchQueue.main.async { publisher.send(1) }
    XCTAssertEqual(try recorder.waitForNext(), 1)
  }
}

private final class LoadingModel: Sendable {
  private let state = Locked(false)

  var isLoaded: Bool { state.withLock { $0 } }
  var isLoading: Bool { false }
  var names: [String] { isLoaded ? ["Ada"] : [] }

  func load() { state.withLock { $0 = true } }
}

@Suite struct FromNimbleExamples {
  @Test func `the names come`() async {
    let model = LoadingModel()
    Task { model.load() }
    await eventually(asserting: "the names come") { #expect(model.names == ["Ada"]) }
  }

  @Test func `lines of the table`() async throws {
    let (model, scheduler, service) = (LoadingModel(), TestScheduler(), AnswerService())
    model.load()
    await eventually { model.isLoaded }
    await eventually(within: .seconds(5)) { model.isLoaded }
    never(during: .seconds(60), advancing: scheduler) { model.isLoading }
    always(during: .seconds(60), advancing: scheduler) { model.isLoaded }
    let name = try await expectExactlyOnce { service.fetchName($0) }
    #expect(name == "Ada")
  }
}

@Suite struct FromRxTestExamples {
  @Test func `a word comes a second after the last letter`() {
    let scheduler = TestScheduler()
    let source = TestPublisher<String, Never>()
    let recorder = Recorder(
      source.debounce(for: .seconds(1), scheduler: scheduler), time: .of(scheduler))
    scheduler.schedule(after: .seconds(2)) { source.send("a") }
    scheduler.schedule(after: .seconds(5)) { source.send(completion: .finished) }
    scheduler.run()
    recorder.expect(marbles: "3s a 2s |")
  }

  @Test func `lines of the table`() {
    let scheduler = TestScheduler()
    let (source, words) = (TestPublisher<String, Never>(), EventSubject<String, Never>())
    let recorder = Recorder(words, time: .of(scheduler))
    let cold = Recorder(
      ErasedPublisher<String, Never>.just("a").delay(for: .seconds(1), scheduler: scheduler),
      time: .of(scheduler))
    scheduler.schedule(after: .seconds(2)) { words.send("a") }
    scheduler.schedule(after: .seconds(3)) { words.send(completion: .finished) }
    scheduler.advance(to: .seconds(300))
    recorder.expect(marbles: "2s a 1s |")
    cold.expect(marbles: "1s a |")
    #expect(recorder.all() == ["a"])
    let token = source.sink { _ in }
    source.send("a")
    token.cancel()
  }
}

private struct Offline: Error {}

protocol Names: Sendable {
  func load(_ id: Int) async throws -> String
  func save(_ name: String)
}

private func addSurname(to id: Int, in names: some Names) async throws {
  names.save(try await names.load(id) + " Lovelace")
}

struct NamesMock: Names {
  let loads = Stub<Int, String>("load")
  let saves = Spy<String>("save")

  func load(_ id: Int) async throws -> String { try await loads(id) }
  func save(_ name: String) { saves(name) }
}

@Test func `an edited name is saved once`() async throws {
  let mock = NamesMock()
  mock.loads.always(.value("Ada"))
  try await addSurname(to: 7, in: mock)
  #expect(mock.saves.count == 1)
  #expect(mock.saves.last == "Ada Lovelace")
}

@Suite struct FromHandMadeMocksExamples {
  @Test func `lines of the table`() async throws {
    let mock = NamesMock()
    for name in ["Ada", "Grace"] { mock.save(name) }
    #expect(mock.saves.count == 2)
    #expect(try await mock.saves.next() == "Ada")
    #expect(try await mock.saves.next() == "Grace")

    mock.loads.always(.value("Ada"))
    #expect(try await mock.load(7) == "Ada")
    mock.loads.inTurn(.error(Offline()), .value("Ada"))
    await #expect(throws: Offline.self) { try await mock.load(7) }
    #expect(try await mock.load(7) == "Ada")
  }

  @Test(.simulated) func `answers that take their time`() async throws {
    let mock = NamesMock()
    mock.loads.always(.after(.seconds(2), .value("Ada")))
    #expect(try await mock.load(7) == "Ada")
    let gate = Gate<String>("load")
    mock.loads.always(.held(by: gate))
    async let name = mock.load(7)
    let call = try await gate.entered()
    call.succeed(with: "Ada")
    #expect(try await name == "Ada")
  }
}
