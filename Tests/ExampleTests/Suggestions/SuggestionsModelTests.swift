// virtual time: the slow answers are simulated
import ExampleApp
import SleeplessTesting
import Testing
import TestSupport

@MainActor
@Suite(.needs(.capture), .simulated) struct SuggestionsModelTests {
  let service = SuggestionServiceMock()

  @Test func `a late answer to an older text is not shown`() async throws {
    let gate = Gate<[String]>("suggestions")
    service.fetch.always(.held(by: gate))
    let model = SuggestionsModel(service: service)

    model.type("sw")
    let older = try await gate.entered()
    model.type("swift")
    let newer = try await gate.entered()

    newer.succeed(with: ["swift.org"])
    older.succeed(with: ["swan", "swap"])
    await settle()
    #expect(model.suggestions == ["swift.org"])
    #expect(service.fetch.calls.arguments == ["sw", "swift"])
  }

  @Test func `a late failure of an older text changes nothing`() async throws {
    let gate = Gate<[String]>("suggestions")
    service.fetch.always(.held(by: gate))
    let model = SuggestionsModel(service: service)
    model.type("sw")
    model.type("swift")
    try await gate.entered(2).succeed(with: ["swift.org"])
    try await gate.entered(1).fail(with: CancellationError())
    await settle()
    #expect(model.suggestions == ["swift.org"])
  }

  @Test func `a quick answer overtakes a slow one`() async {
    service.fetch.always(.after(.seconds(2), .value(["swan"])), for: "sw")
    service.fetch.always(.after(.seconds(1), .value(["swift.org"])), for: "swift")
    let model = SuggestionsModel(service: service)
    model.type("sw")
    model.type("swift")
    await settle()
    #expect(model.suggestions == ["swift.org"])
    #expect(Simulation.current?.now == .seconds(2))
  }
}
