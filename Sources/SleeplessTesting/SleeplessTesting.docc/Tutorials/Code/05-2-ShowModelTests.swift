import Testing

@testable import Tickets

@MainActor
@Suite struct ShowModelTests {
  let model = ShowModel(title: { "Hamlet" })

  @Test func `the title is shown`() async {
    await model.load()
    #expect(model.state == .loaded("Hamlet"))
  }

  @Test func `the title is loaded again`() async {
    await model.load()
    await model.reload()
    #expect(model.state == .loaded("Hamlet"))
  }
}
