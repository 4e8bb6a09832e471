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
}
