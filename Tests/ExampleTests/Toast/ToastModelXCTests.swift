import ExampleApp
import SleeplessTesting
import XCTest

// The tests are `async` because XCTest on Linux cannot call an isolated method otherwise.
@MainActor
final class ToastModelXCTests: XCTestCase {
  func testAToastStaysForTwoAndAHalfSeconds() async {
    let scheduler = TestScheduler()
    let toast = ToastModel(scheduler: scheduler)
    toast.show("Saved")
    await scheduler.advance(by: .milliseconds(2499))
    XCTAssertEqual(toast.text, "Saved")
    await scheduler.advance(by: .milliseconds(1))
    XCTAssertNil(toast.text)
  }

  func testASecondToastGetsItsFullTime() async {
    let scheduler = TestScheduler()
    let toast = ToastModel(scheduler: scheduler)
    toast.show("Saved")
    await scheduler.advance(by: .seconds(2))
    toast.show("Sent")
    await scheduler.advance(by: .seconds(2))
    XCTAssertEqual(toast.text, "Sent")
    await scheduler.advance(by: .milliseconds(500))
    XCTAssertNil(toast.text)
  }
}
