import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite(.checkedAtEnd) struct FactDoubleTests {
  let service = FactServiceDouble()

  @Test func `the state is loading while the service works`() async throws {
    let gate = Gate<Fact>("fetchFact")
    service.fetch.always(.held(by: gate))
    let model = FactViewModel(service: service)
    let fetching = Task { await model.fetch() }

    let call = try await gate.entered()
    #expect(model.state == .loading)
    call.succeed(with: .cats)
    await fetching.value
    #expect(model.state == .loaded(.cats))
  }

  @Test func `after an error the user may try again`() async {
    service.fetch.inTurn(.error(FactError.offline), .value(.cats))
    let model = FactViewModel(service: service)
    let states = Recorder(model.$state)
    await model.fetch()
    await model.fetch()
    await states.expect(.initial, .loading, .error(.offline), .loading, .loaded(.cats))
    #expect(service.fetch.calls.count == 2)
  }

  @Test func `a fact that takes a second`() async {
    let clock = TestClock()
    service.fetch.always(.after(.seconds(1), on: clock, .value(.cats)))
    let model = FactViewModel(service: service)
    let states = Recorder(model.$state, time: .of(clock))
    let fetching = Task { await model.fetch() }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    await fetching.value
    states.expect(
      marbles: "i l 1s f", ["i": .initial, "l": .loading, "f": .loaded(.cats)])
  }
}
