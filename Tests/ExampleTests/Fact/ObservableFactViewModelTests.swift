import ExampleApp
import SleeplessTesting
import Testing

/// The whole history of the state, with `@Observable`.
@MainActor
@Suite struct ObservableFactViewModelTests {
  let clock = TestClock()

  @Test func `a fact that comes at once`() async {
    let model = ObservableFactViewModel(service: FactServiceMock(.atOnce(.success(.cats))))
    let states = Recorder(of: model, \.state)
    await model.fetch()
    await states.expect(.initial, .loading, .loaded(.cats))
  }

  @Test func `an error that comes at once`() async {
    let model = ObservableFactViewModel(service: FactServiceMock(.atOnce(.failure(.offline))))
    let states = Recorder(of: model, \.state)
    await model.fetch()
    await states.expect(.initial, .loading, .error(.offline))
  }

  @Test func `a fact that takes a second`() async {
    let model = ObservableFactViewModel(
      service: FactServiceMock(.after(.seconds(1), clock, .success(.cats))))
    let states = Recorder(of: model, \.state, time: .of(clock))
    let fetching = Task { await model.fetch() }
    await states.expect(.initial, .loading)

    await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(999))
    await states.expectNone()
    await clock.advance(by: .milliseconds(1))
    await states.expect(.loaded(.cats))
    await fetching.value
    #expect(states.times.last == .seconds(1))
  }

  @Test func `an error that takes a second`() async {
    let model = ObservableFactViewModel(
      service: FactServiceMock(.after(.seconds(1), clock, .failure(.offline))))
    let states = Recorder(of: model, \.state, time: .of(clock))
    let fetching = Task { await model.fetch() }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    await fetching.value
    states.expect(
      marbles: "i l 1s e", ["i": .initial, "l": .loading, "e": .error(.offline)])
  }

  @Test func `while the service does not answer the state is loading`() async {
    let model = ObservableFactViewModel(service: FactServiceMock(.never))
    let states = Recorder(of: model, \.state)
    let fetching = Task { await model.fetch() }
    await states.expect(.initial, .loading)
    #expect(model.state == .loading)

    fetching.cancel()
    await fetching.value
    await states.expectNone()
  }
}
