import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite struct SearchModelTests {
  let scheduler = TestScheduler()
  let service = SearchServiceMock()
  let model: SearchModel

  init() {
    model = SearchModel(service: service, scheduler: scheduler)
  }

  @Test func `the search starts exactly 300 ms after the last key`() {
    model.query = "swift"
    scheduler.advance(by: .milliseconds(299))
    #expect(service.queries.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(service.queries == ["swift"])
  }

  @Test func `another key restarts the wait`() {
    for query in ["s", "sw", "swi"] {
      model.query = query
      scheduler.advance(by: .milliseconds(299))
    }
    #expect(service.queries.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(service.queries == ["swi"])
  }

  @Test func `setting the same query again does not restart the wait`() {
    model.query = "swift"
    scheduler.advance(by: .milliseconds(200))
    model.query = "swift"
    scheduler.advance(by: .milliseconds(100))
    #expect(service.queries == ["swift"])
  }

  @Test func `results are shown`() {
    search("swift")
    service.answer("swift", with: ["Swift.org"])
    scheduler.advance()
    #expect(model.results == ["Swift.org"])
  }

  @Test func `results of an older query are dropped`() {
    search("swift")
    search("swiftly")
    service.answer("swiftly", with: ["Swiftly"])
    service.answer("swift", with: ["Swift.org"])
    scheduler.advance()
    #expect(model.results == ["Swiftly"])
  }

  @Test func `results that arrive while the user types are dropped`() {
    search("swift")
    model.query = "swiftl"
    service.answer("swift", with: ["Swift.org"])
    scheduler.run()
    #expect(model.results.isEmpty)
  }

  @Test func `clearing the query clears the results and cancels the search`() {
    search("swift")
    service.answer("swift", with: ["Swift.org"])
    scheduler.advance()
    model.query = "swiftl"
    model.query = ""
    #expect(model.results.isEmpty)
    #expect(scheduler.pending.isEmpty)
  }

  private func search(_ query: String) {
    model.query = query
    scheduler.advance(by: .milliseconds(300))
  }
}
