// virtual time: every test is simulated
import ExampleApp
import SleeplessTesting
import TestSupport
import XCTest

@MainActor
final class ProfileScreenModelXCTests: XCTestCase {
  func testTheModelIsLoadingUntilTheUserArrives() async throws {
    try Need.capture.orSkip()
    try await simulate {
      let model = ProfileScreenModel(service: AsyncProfileServiceMock())
      model.load(id: 1)
      XCTAssertTrue(model.isLoading)

      try await Task.sleep(for: .seconds(1.5))
      XCTAssertFalse(model.isLoading)
      XCTAssertEqual(model.user, User(id: 1, name: "Ada"))
      XCTAssertEqual(model.greeting, "Hello, Ada!")
      await settle()
    }
  }

  func testTheGreetingDisappearsAfterThreeSeconds() async throws {
    try Need.capture.orSkip()
    try await simulate {
      let model = ProfileScreenModel(service: AsyncProfileServiceMock())
      model.load(id: 1)
      await settle()
      XCTAssertNil(model.greeting)
      XCTAssertEqual(Simulation.current?.now, .seconds(1 + 3))
    }
  }

  func testAfterFourAttemptsTheModelShowsTheError() async throws {
    try Need.capture.orSkip()
    try await simulate {
      let service = AsyncProfileServiceMock(failing: Array(repeating: .offline, count: 9))
      let model = ProfileScreenModel(service: service)
      model.load(id: 1)
      await settle()
      XCTAssertEqual(model.message, "You are offline.")
      let attempts = await service.ids.count
      XCTAssertEqual(attempts, 4)
    }
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// The same without a call of `simulate` in the tests.
  final class ProfileScreenModelSimulatedTests: SimulatedTestCase {
    func testAnyOtherFailureIsShownAtOnce() async {
      for error in [ProfileError.notFound, .signedOut] {
        let model = await ProfileScreenModel(service: AsyncProfileServiceMock(failing: [error]))
        await model.load(id: 1)
        await settle()
        let message = await model.message
        XCTAssertEqual(message, error.message)
      }
      XCTAssertEqual(Simulation.current?.now, .seconds(2))
    }
  }
#endif
