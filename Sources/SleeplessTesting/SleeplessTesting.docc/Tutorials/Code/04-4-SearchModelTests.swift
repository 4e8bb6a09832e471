import SleeplessTesting
import Testing

@testable import Tickets

@MainActor
@Suite(.simulated) struct SearchModelTests {
  let service = SearchServiceMock()

  @Test func `an answer is shown`() async {
    service.fetch.always(.after(.seconds(2), .value(["Hamlet"])))
    let model = SearchModel(service: service)
    model.type("Hamlet")
    await settle()
    #expect(model.shows == ["Hamlet"])
  }

  @Test func `a late answer to an older text is not shown`() async throws {
    let gate = Gate<[String]>("answers")
    service.fetch.always(.held(by: gate))
    let model = SearchModel(service: service)

    model.type("Ha")
    let older = try await gate.entered()
    model.type("Hamlet")
    let newer = try await gate.entered()

    newer.succeed(with: ["Hamlet"])
    older.succeed(with: ["Hair", "Hamlet"])
    await settle()
    #expect(model.shows == ["Hamlet"])
  }
}
