import ExampleApp
import SleeplessTesting
import XCTest

// The tests are `async` because XCTest on Linux cannot call an isolated method otherwise.
@MainActor
final class ProfileViewModelXCTests: XCTestCase {
  func testAtFirstTheModelIsNotLoading() async {
    let (model, service, _) = make()
    XCTAssertFalse(model.isLoading)
    XCTAssertEqual(service.ids, [])
  }

  func testLoadingIsTrueWhileTheRequestIsInFlight() async {
    let (model, _, _) = make()
    model.load(id: 1)
    XCTAssertTrue(model.isLoading)
  }

  func testTheServiceGetsOneRequestForTheID() async {
    let (model, service, _) = make()
    model.load(id: 1)
    XCTAssertEqual(service.ids, [1])
  }

  func testASecondLoadWhileLoadingSendsNoRequest() async {
    let (model, service, _) = make()
    model.load(id: 1)
    model.load(id: 2)
    XCTAssertEqual(service.ids, [1])
  }

  func testTheViewModelChangesOnlyOnTheMainQueue() async {
    let (model, service, scheduler) = make()
    model.load(id: 1)
    service.answer(.success(.ada))
    XCTAssertTrue(model.isLoading)
    XCTAssertNil(model.user)
    await scheduler.advance()
    XCTAssertEqual(model.user, .ada)
  }

  func testSuccessShowsTheUserAndEndsLoading() async {
    let (model, service, scheduler) = make()
    model.load(id: 1)
    service.answer(.success(.ada))
    await scheduler.advance()
    XCTAssertEqual(model.user, .ada)
    XCTAssertNil(model.message)
    XCTAssertFalse(model.isLoading)
  }

  func testEachErrorShowsItsMessageAndEndsLoading() async {
    let messages: [ProfileError: String] = [
      .offline: "You are offline.",
      .notFound: "There is no such user.",
      .signedOut: "Please sign in again.",
    ]
    for error in ProfileError.allCases {
      let (model, service, scheduler) = make()
      model.load(id: 1)
      service.answer(.failure(error))
      await scheduler.advance()
      XCTAssertEqual(model.message, messages[error])
      XCTAssertNil(model.user)
      XCTAssertFalse(model.isLoading)
    }
  }

  func testLoadingAgainRemovesTheMessage() async {
    let (model, service, scheduler) = make()
    model.load(id: 1)
    service.answer(.failure(.offline))
    await scheduler.advance()
    model.load(id: 1)
    XCTAssertNil(model.message)
  }

  private func make() -> (ProfileViewModel, ProfileServiceMock, TestScheduler) {
    let scheduler = TestScheduler()
    let service = ProfileServiceMock()
    return (ProfileViewModel(service: service, mainQueue: scheduler), service, scheduler)
  }
}
