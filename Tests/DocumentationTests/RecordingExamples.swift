import Observation
import SleeplessTesting
import Testing
import XCTest

// Every Swift block about recorders in README.md, in the documentation and in comments, to the
// letter, and what it needs round it.

enum CatState: Equatable, Sendable {
  case initial
  case loading
  case loaded(String)
}

@MainActor
private final class CatModel {
  @PublishedState private(set) var state: CatState = .initial

  func load() {
    state = .loading
    Task { state = .loaded("Tom") }
  }
}

@MainActor @Observable
private final class CounterModel {
  private(set) var count = 0

  func countToTwo() {
    count += 1
    count += 1
  }
}

private final class AnswerModel: Sendable {
  private let token: SubscriptionToken

  init(answers: some PublisherType<String, Never>) { token = answers.sink { _ in } }
}

@Suite struct RecordingExamples {
  @MainActor
  @Test func `a recorder in a few lines`() async {
    let model = CatModel()

    let states = Recorder(model.$state)
    model.load()
    await states.expect(.initial, .loading, .loaded("Tom"))
  }

  @MainActor
  @Test func `the whole history of a property`() async throws {
    let model = CatModel()
    let states = Recorder(model.$state)
    model.load()

    #expect(try await states.next() == .initial)
    #expect(try await states.next() == .loading)
    guard case .loaded(let name) = try await states.next() else { return }
    #expect(name == "Tom")
  }

  @MainActor
  @Test func `an observable property`() async {
    let model = CounterModel()
    let counts = Recorder(of: model, \.count)
    model.countToTwo()
    await counts.expect(0, 1, 2)
  }

  @Test func `an asynchronous sequence`() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()

    let numbers = Recorder(stream)
    continuation.yield(1)
    continuation.finish()
    await numbers.expect(1, then: .finished)
  }

  @MainActor
  @Test func `a callback`() throws {
    let service = NameServiceMock()

    let answers = Recorder<String, Never>("answers")
    service.fetchName { answers.record($0) }
    service.answer("Ada")
    #expect(try answers.next() == "Ada")
  }

  @Test func `marbles that name values by what they print`() {
    let scheduler = TestScheduler()
    let states = Recorder<CatState, Never>(time: .of(scheduler))
    states.record(.initial)
    states.record(.loading)
    scheduler.advance(by: .seconds(1))
    states.record(.loaded("Tom"))
    states.record(.finished)

    states.expect(marbles: "initial loading 1s loaded(\"Tom\") |")
  }

  @Test func `marbles with names of their own`() {
    let scheduler = TestScheduler()
    let states = Recorder<CatState, Never>(time: .of(scheduler))
    states.record(.initial)
    states.record(.loading)
    scheduler.advance(by: .seconds(1))
    states.record(.loaded("Tom"))

    states.expect(marbles: "i l 1s d", ["i": .initial, "l": .loading, "d": .loaded("Tom")])
  }

  @Test func `a publisher in the test's hands`() {
    let answers = TestPublisher<String, Never>()
    let model = AnswerModel(answers: answers)
    #expect(answers.subscriptionCount == 1)
    answers.send("42")
    withExtendedLifetime(model) {}
  }

  @MainActor
  @Test func `states in an async test`() async {
    let model = CatModel()

    await AssertState().assert(
      when: { model.load() },
      type: CatState.self,
      publisher: model.$state,
      valuesAssertions: { values in
        #expect(values == [.initial, .loading, .loaded("Tom")])
      })
  }
}

final class AssertStateExamples: XCTestCase {
  @MainActor
  private final class Model {
    nonisolated let subject = StateSubject<CatState, Never>(.initial)
    nonisolated var state: CatState { subject.value }
    nonisolated var publisher: StateSubject<CatState, Never> { subject }

    nonisolated func load() {
      Task { @MainActor in
        subject.value = .loading
        subject.value = .loaded("Tom")
      }
    }
  }

  @MainActor private static func make() -> Model { Model() }

  func testLoadingShowsTheCat() {
    let model = MainActor.assumeIsolated { Self.make() }

    AssertState().assert(
      when: { model.load() },
      type: CatState.self,
      testCase: self,
      publisher: model.publisher,
      valuesLimit: 3,
      initialAssertions: { XCTAssertEqual(model.state, .initial) },
      valuesAssertions: { values in
        XCTAssertEqual(values, [.initial, .loading, .loaded("Tom")])
      })
  }
}
