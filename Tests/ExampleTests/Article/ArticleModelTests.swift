import ExampleApp
import SleeplessTesting
import Testing
import TestSupport

@MainActor
@Suite(.simulated) struct ArticleModelTests {
  let doubles = ArticleDoubles()
  let gate = Gate<String>("text")

  @Test func `the model is loading until the text arrives`() async throws {
    doubles.isSaved.always(.value(true), for: 7)
    doubles.text.always(.held(by: gate))
    let model = ArticleModel(id: 7, client: doubles.client)
    model.appear()
    let call = try await gate.entered()
    #expect(model.state == .loading)
    #expect(doubles.markAsRead.count == 0)

    call.succeed(with: "Once upon a time")
    #expect(try await doubles.markAsRead.next() == 7)
    #expect(model.state == .shown("Once upon a time", isSaved: true))
  }

  @Test(.needs(.capture)) func `disappearing cancels the loading`() async throws {
    doubles.text.always(.held(by: gate))
    let model = ArticleModel(id: 7, client: doubles.client)
    model.appear()
    let call = try await gate.entered()

    model.disappear()
    try await call.cancelled()
    await settle()
    #expect(model.state == .hidden)
    #expect(doubles.markAsRead.count == 0)
  }

  @Test(.needs(.capture)) func `an answer after the screen has disappeared changes nothing`()
    async throws
  {
    let gate = Gate<String>("text", ignoresCancellation: true)
    doubles.text.always(.held(by: gate))
    let model = ArticleModel(id: 7, client: doubles.client)
    model.appear()
    let call = try await gate.entered()

    model.disappear()
    #expect(call.isCancelled)
    call.fail(with: CancellationError())
    await settle()
    #expect(model.state == .hidden)
  }
}
