import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite struct ProfileViewModelTests {
  let scheduler = TestScheduler()
  let service = ProfileServiceMock()
  let model: ProfileViewModel

  init() {
    model = ProfileViewModel(service: service, mainQueue: scheduler)
  }

  @Test func `nothing is loading at first`() {
    #expect(!model.isLoading)
    #expect(service.ids.isEmpty)
  }

  @Test func `loading is true while the request is in flight`() {
    model.load(id: 1)
    #expect(model.isLoading)
  }

  @Test func `the service is asked once, for the id`() {
    model.load(id: 1)
    #expect(service.ids == [1])
  }

  @Test func `a second load while loading asks nothing`() {
    model.load(id: 1)
    model.load(id: 2)
    #expect(service.ids == [1])
  }

  @Test func `the view model changes on the main queue and nowhere else`() {
    model.load(id: 1)
    service.answer(.success(.ada))
    #expect(model.isLoading)
    #expect(model.user == nil)
    scheduler.advance()
    #expect(model.user == .ada)
  }

  @Test func `success shows the user and ends loading`() {
    model.load(id: 1)
    service.answer(.success(.ada))
    scheduler.advance()
    #expect(model.user == .ada)
    #expect(model.message == nil)
    #expect(!model.isLoading)
  }

  @Test(arguments: [
    (ProfileError.offline, "You are offline."),
    (.notFound, "There is no such user."),
    (.signedOut, "Please sign in again."),
  ])
  func `each error shows its message and ends loading`(error: ProfileError, message: String) {
    model.load(id: 1)
    service.answer(.failure(error))
    scheduler.advance()
    #expect(model.message == message)
    #expect(model.user == nil)
    #expect(!model.isLoading)
  }

  @Test func `loading again takes the message away`() {
    model.load(id: 1)
    service.answer(.failure(.offline))
    scheduler.advance()
    model.load(id: 1)
    #expect(model.message == nil)
  }
}
