import ExampleApp
import SleeplessTesting
import XCTest

// The tests are `async` because XCTest on Linux cannot call an isolated method otherwise.
@MainActor
final class GreetingXCTests: XCTestCase {
  func testAKnownUserIsGreetedByNameOnTheMainQueue() async {
    let scheduler = TestScheduler()
    let service = ProfileServiceMock()
    var greeting: String?
    WelcomeScreen(service: service, mainQueue: scheduler).greet(id: 1) { greeting = $0 }
    service.answer(.success(.ada))
    XCTAssertNil(greeting)
    await scheduler.advance()
    XCTAssertEqual(greeting, "Hello, Ada!")
  }

  func testAnUnknownUserIsGreetedAsAStranger() async {
    let scheduler = TestScheduler()
    let service = ProfileServiceMock()
    var greeting: String?
    WelcomeScreen(service: service, mainQueue: scheduler).greet(id: 1) { greeting = $0 }
    service.answer(.failure(.notFound))
    await scheduler.advance()
    XCTAssertEqual(greeting, "Hello, stranger!")
  }

  func testAnyTypeWithAServiceAndAMainQueueCanGreet() async {
    struct Settings: Greeting {
      let service: any ProfileService
      let mainQueue: any DispatchQueueType
    }
    let service = ProfileServiceMock()
    var greeting: String?
    Settings(service: service, mainQueue: .immediate).greet(id: 1) { greeting = $0 }
    service.answer(.success(.ada))
    XCTAssertEqual(greeting, "Hello, Ada!")
  }
}
