import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite struct GreetingTests {
  let scheduler = TestScheduler()
  let service = ProfileServiceMock()

  @Test func `a known user is greeted by name, on the main queue`() {
    var greeting: String?
    WelcomeScreen(service: service, mainQueue: scheduler).greet(id: 1) { greeting = $0 }
    service.answer(.success(.ada))
    #expect(greeting == nil)
    scheduler.advance()
    #expect(greeting == "Hello, Ada!")
  }

  @Test func `an unknown user is greeted as a stranger`() {
    var greeting: String?
    WelcomeScreen(service: service, mainQueue: scheduler).greet(id: 1) { greeting = $0 }
    service.answer(.failure(.notFound))
    scheduler.advance()
    #expect(greeting == "Hello, stranger!")
  }

  @Test func `any type with a service and a main queue can greet`() {
    struct Settings: Greeting {
      let service: any ProfileService
      let mainQueue: any DispatchQueueType
    }
    var greeting: String?
    Settings(service: service, mainQueue: .immediate).greet(id: 1) { greeting = $0 }
    service.answer(.success(.ada))
    #expect(greeting == "Hello, Ada!")
  }
}
