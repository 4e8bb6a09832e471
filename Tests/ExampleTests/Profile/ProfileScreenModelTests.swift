// virtual time: every test of the suite is simulated
import ExampleApp
import SleeplessTesting
import Testing
import TestSupport

@MainActor
@Suite(.needs(.capture), .simulated) struct ProfileScreenModelTests {
  @Test func `the model is loading until the user arrives`() async throws {
    let model = ProfileScreenModel(service: AsyncProfileServiceMock())
    model.load(id: 1)
    #expect(model.isLoading)

    try await Task.sleep(for: .seconds(1.5))
    #expect(!model.isLoading)
    #expect(model.user == User(id: 1, name: "Ada"))
    #expect(model.greeting == "Hello, Ada!")
    await settle()
  }

  @Test func `the greeting disappears after three seconds`() async {
    let model = ProfileScreenModel(service: AsyncProfileServiceMock())
    model.load(id: 1)
    await settle()
    #expect(model.greeting == nil)
    #expect(Simulation.current?.now == .seconds(1 + 3))
  }

  @Test func `without a network the model retries, with growing delays`() async {
    let service = AsyncProfileServiceMock(failing: [.offline, .offline])
    let model = ProfileScreenModel(service: service)
    model.load(id: 1)
    await settle()
    #expect(model.user != nil)
    #expect(await service.ids == [1, 1, 1])
  }

  @Test func `after four attempts the model shows the error`() async {
    let service = AsyncProfileServiceMock(failing: Array(repeating: .offline, count: 9))
    let model = ProfileScreenModel(service: service)
    model.load(id: 1)
    await settle()
    #expect(model.message == "You are offline.")
    #expect(!model.isLoading)
    #expect(await service.ids.count == 4)
    #expect(Simulation.current?.now == .seconds(4 * 1 + 1 + 2 + 4))
  }

  @Test(arguments: [ProfileError.notFound, .signedOut])
  func `any other failure is shown at once`(error: ProfileError) async {
    let model = ProfileScreenModel(service: AsyncProfileServiceMock(failing: [error]))
    model.load(id: 1)
    await settle()
    #expect(model.message == error.message)
    #expect(Simulation.current?.now == .seconds(1))
  }
}
