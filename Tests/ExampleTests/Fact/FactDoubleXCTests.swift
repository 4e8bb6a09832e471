import ExampleApp
import SleeplessTesting
import XCTest

@MainActor
final class FactDoubleXCTests: XCTestCase {
  let service = FactServiceDouble()

  func testTheStateIsLoadingWhileTheServiceWorks() async throws {
    let gate = Gate<Fact>("fetchFact")
    service.fetch.always(.held(by: gate))
    let model = FactViewModel(service: service)
    let fetching = Task { await model.fetch() }

    let call = try await gate.entered()
    XCTAssertEqual(model.state, .loading)
    call.succeed(with: .cats)
    await fetching.value
    XCTAssertEqual(model.state, .loaded(.cats))
  }

  func testAfterAnErrorTheUserMayTryAgain() async {
    service.fetch.inTurn(.error(FactError.offline), .value(.cats))
    let model = FactViewModel(service: service)
    await model.fetch()
    XCTAssertEqual(model.state, .error(.offline))
    await model.fetch()
    XCTAssertEqual(model.state, .loaded(.cats))
    XCTAssertEqual(service.fetch.calls.count, 2)
  }
}
