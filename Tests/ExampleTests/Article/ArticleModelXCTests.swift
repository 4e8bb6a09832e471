import ExampleApp
import SleeplessTesting
import XCTest

@MainActor
final class ArticleModelXCTests: XCTestCase {
  func testDisappearingCancelsTheLoading() async throws {
    let doubles = ArticleDoubles()
    let gate = Gate<String>("text")
    doubles.text.always(.held(by: gate))
    let model = ArticleModel(id: 7, client: doubles.client)
    model.appear()
    let call = try await gate.entered()
    XCTAssertEqual(model.state, .loading)

    model.disappear()
    try await call.cancelled()
    XCTAssertEqual(doubles.markAsRead.count, 0)
  }
}
