import SleeplessTesting
import Testing

@testable import Tickets

@MainActor
@Suite(.checkedAtEnd) struct ShowModelTests {
  let model = ShowModel(title: { "Hamlet" })

  @Test func `the title is shown`() async {
    let states = Recorder(model.$state, "states")
    await model.load()
    await states.expect(.initial, .loading, .loaded("Hamlet"))
  }

  @Test func `the title is loaded again`() async {
    await model.load()
    await model.reload()
    #expect(model.state == .loaded("Hamlet"))
  }
}
