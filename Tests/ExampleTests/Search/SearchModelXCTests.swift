import ExampleApp
import SleeplessTesting
import XCTest

// The tests are `async` because XCTest on Linux cannot call an isolated method otherwise.
@MainActor
final class SearchModelXCTests: XCTestCase {
  func testTheSearchStartsExactly300MillisecondsAfterTheLastKey() async {
    let (model, service, scheduler) = make()
    model.query = "swift"
    await scheduler.advance(by: .milliseconds(299))
    XCTAssertEqual(service.queries, [])
    await scheduler.advance(by: .milliseconds(1))
    XCTAssertEqual(service.queries, ["swift"])
  }

  func testAnotherKeyRestartsTheWait() async {
    let (model, service, scheduler) = make()
    for query in ["s", "sw", "swi"] {
      model.query = query
      await scheduler.advance(by: .milliseconds(299))
    }
    XCTAssertEqual(service.queries, [])
    await scheduler.advance(by: .milliseconds(1))
    XCTAssertEqual(service.queries, ["swi"])
  }

  func testSettingTheSameQueryAgainDoesNotRestartTheWait() async {
    let (model, service, scheduler) = make()
    model.query = "swift"
    await scheduler.advance(by: .milliseconds(200))
    model.query = "swift"
    await scheduler.advance(by: .milliseconds(100))
    XCTAssertEqual(service.queries, ["swift"])
  }

  func testResultsAreShown() async {
    let (model, service, scheduler) = make()
    model.query = "swift"
    await scheduler.run()
    service.answer("swift", with: ["Swift.org"])
    await scheduler.run()
    XCTAssertEqual(model.results, ["Swift.org"])
  }

  func testResultsOfAnOlderQueryAreDropped() async {
    let (model, service, scheduler) = make()
    model.query = "swift"
    await scheduler.run()
    model.query = "swiftly"
    await scheduler.run()
    service.answer("swiftly", with: ["Swiftly"])
    service.answer("swift", with: ["Swift.org"])
    await scheduler.run()
    XCTAssertEqual(model.results, ["Swiftly"])
  }

  func testResultsThatArriveWhileTheUserTypesAreDropped() async {
    let (model, service, scheduler) = make()
    model.query = "swift"
    await scheduler.run()
    model.query = "swiftl"
    service.answer("swift", with: ["Swift.org"])
    await scheduler.run()
    XCTAssertEqual(model.results, [])
  }

  func testClearingTheQueryClearsTheResultsAndCancelsTheSearch() async {
    let (model, service, scheduler) = make()
    model.query = "swift"
    await scheduler.run()
    service.answer("swift", with: ["Swift.org"])
    await scheduler.run()
    model.query = "swiftl"
    model.query = ""
    XCTAssertEqual(model.results, [])
    XCTAssertTrue(scheduler.pending.isEmpty)
  }

  private func make() -> (SearchModel, SearchServiceMock, TestScheduler) {
    let scheduler = TestScheduler()
    let service = SearchServiceMock()
    return (SearchModel(service: service, scheduler: scheduler), service, scheduler)
  }
}
