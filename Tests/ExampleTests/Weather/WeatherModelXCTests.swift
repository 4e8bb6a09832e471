import ExampleApp
import SleeplessTesting
import XCTest

@MainActor
final class WeatherModelXCTests: XCTestCase {
  func testEachCityHasItsOwnWeather() async {
    let service = WeatherServiceMock()
    service.answer.always(.value(21), for: "Rome")
    service.answer.always(.value(-3), for: "Oslo")
    let model = WeatherModel(service: service)
    await model.show("Rome")
    XCTAssertEqual(model.text, "21° in Rome")
    await model.show("Oslo")
    XCTAssertEqual(model.text, "-3° in Oslo")
  }

  func testTheOldWeatherDisappearsAtOnce() async throws {
    let service = WeatherServiceMock()
    let gate = Gate<Int>("temperature(in:)")
    service.answer.inTurn(.value(21), .held(by: gate))
    let model = WeatherModel(service: service)
    await model.show("Rome")
    let showing = Task { await model.show("Oslo") }
    let call = try await gate.entered()
    XCTAssertEqual(model.text, "...")
    call.succeed(with: -3)
    await showing.value
    XCTAssertEqual(model.text, "-3° in Oslo")
  }
}
