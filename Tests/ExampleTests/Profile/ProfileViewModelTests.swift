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

  @Test func `at first the model is not loading`() {
    #expect(!model.isLoading)
    #expect(service.ids.isEmpty)
  }

  @Test func `loading is true while the request is in flight`() {
    model.load(id: 1)
    #expect(model.isLoading)
  }

  @Test func `the service gets one request, for the id`() {
    model.load(id: 1)
    #expect(service.ids == [1])
  }

  @Test func `a second load while loading sends no request`() {
    model.load(id: 1)
    model.load(id: 2)
    #expect(service.ids == [1])
  }

  @Test func `the view model changes only on the main queue`() {
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

  @Test func `loading again removes the message`() {
    model.load(id: 1)
    service.answer(.failure(.offline))
    scheduler.advance()
    model.load(id: 1)
    #expect(model.message == nil)
  }
}
