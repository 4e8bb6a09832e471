import ExampleApp
import SleeplessTesting
import TestSupport
import XCTest

@MainActor
final class SuggestionsModelXCTests: XCTestCase {
  func testALateAnswerToAnOlderTextIsNotShown() async throws {
    try Need.capture.orSkip()
    try await simulate {
      let service = SuggestionServiceMock()
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
      XCTAssertEqual(model.suggestions, ["swift.org"])
    }
  }
}
