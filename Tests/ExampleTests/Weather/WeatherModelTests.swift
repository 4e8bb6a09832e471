import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite(.checkedAtEnd) struct WeatherModelTests {
  let service = WeatherServiceMock()

  @Test func `each city has its own weather`() async {
    service.answer.always(.value(21), for: "Rome")
    service.answer.always(.value(-3), for: "Oslo")
    let model = WeatherModel(service: service)
    await model.show("Rome")
    #expect(model.text == "21° in Rome")
    await model.show("Oslo")
    #expect(model.text == "-3° in Oslo")
  }

  @Test func `an error is shown`() async {
    service.answer.always(.error(WeatherService.NoConnection()))
    let model = WeatherModel(service: service)
    await model.show("Rome")
    #expect(model.text == "No weather for Rome")
  }

  @Test func `the old weather disappears at once`() async throws {
    let gate = Gate<Int>("temperature(in:)")
    service.answer.inTurn(.value(21), .held(by: gate))
    let model = WeatherModel(service: service)
    await model.show("Rome")
    let showing = Task { await model.show("Oslo") }
    let call = try await gate.entered()
    #expect(model.text == "...")
    call.succeed(with: -3)
    await showing.value
    #expect(model.text == "-3° in Oslo")
  }
}
