import ExampleApp
import SleeplessTesting
import XCTest

/// The whole history of the state, with `@Observable`.
// The tests are `async` because XCTest on Linux cannot call an isolated method otherwise.
@MainActor
final class ObservableFactViewModelXCTests: XCTestCase {
  func testAFactThatComesAtOnce() async {
    let model = ObservableFactViewModel(service: FactServiceMock(.atOnce(.success(.cats))))
    let states = Recorder(of: model, \.state)
    await model.fetch()
    await states.expect(.initial, .loading, .loaded(.cats))
  }

  func testAnErrorThatComesAtOnce() async {
    let model = ObservableFactViewModel(service: FactServiceMock(.atOnce(.failure(.offline))))
    let states = Recorder(of: model, \.state)
    await model.fetch()
    await states.expect(.initial, .loading, .error(.offline))
  }

  func testAFactThatTakesASecond() async {
    let clock = TestClock()
    let model = ObservableFactViewModel(
      service: FactServiceMock(.after(.seconds(1), clock, .success(.cats))))
    let states = Recorder(of: model, \.state, time: .of(clock))
    let fetching = Task { await model.fetch() }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    await fetching.value
    states.expect(
      marbles: "i l 1s d", ["i": .initial, "l": .loading, "d": .loaded(.cats)])
  }

  func testAnErrorThatTakesASecond() async {
    let clock = TestClock()
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

  func testWhileTheServiceDoesNotAnswerTheStateIsLoading() async {
    let model = ObservableFactViewModel(service: FactServiceMock(.never))
    let states = Recorder(of: model, \.state)
    let fetching = Task { await model.fetch() }
    await states.expect(.initial, .loading)
    XCTAssertEqual(model.state, .loading)

    fetching.cancel()
    await fetching.value
    await states.expectNone()
  }
}
