// virtual time: what sleeps is simulated
import Dispatch
import SleeplessTesting
import Testing
import TestSupport

// Swift blocks of README.md and of articles, to the letter, and what they need round them.

@MainActor
final class Toast {
  private(set) var text: String?

  func show(_ text: String) {
    self.text = text
    Task {
      try await Task.sleep(for: .seconds(3))
      self.text = nil
    }
  }
}

@MainActor
protocol NameService {
  func fetchName(completion: @escaping @Sendable (String) -> Void)
}

@MainActor
final class ProfileModel {
  private(set) var isLoading = false
  private(set) var name: String?

  private let service: any NameService
  private let mainQueue: any DispatchQueueType

  init(service: any NameService, mainQueue: any DispatchQueueType = DispatchQueue.main) {
    self.service = service
    self.mainQueue = mainQueue
  }

  func load() {
    isLoading = true
    service.fetchName { [mainQueue] name in
      mainQueue.async { MainActor.assumeIsolated { self.show(name) } }
    }
  }

  private func show(_ name: String) {
    self.name = name
    isLoading = false
  }
}

final class NameServiceMock: NameService {
  private var completion: (@Sendable (String) -> Void)?

  func fetchName(completion: @escaping @Sendable (String) -> Void) { self.completion = completion }

  func answer(_ name: String) { completion?(name) }
}

actor Poller {
  private(set) var count = 0
  private let clock: any Clock<Duration>

  init(clock: any Clock<Duration>) { self.clock = clock }

  func run() async throws {
    while true {
      try await clock.sleep(for: .seconds(60))
      count += 1
    }
  }
}

@MainActor
final class ProfileScreen {
  enum State: Equatable { case initial, loading, loaded(String) }

  @PublishedState private(set) var state = State.initial

  private let name: () async -> String

  init(name: @escaping () async -> String) { self.name = name }

  func load() async {
    state = .loading
    state = .loaded(await name())
  }
}

@Suite(.needs(.capture)) struct SimulatedReadmeExamples {
  @Test func `the poller asks once a minute`() async throws {
    let clock = TestClock()
    let poller = Poller(clock: clock)
    let polling = Task { try await poller.run() }

    await clock.waitForSleepers()
    await clock.advance(by: .seconds(180))
    await clock.waitForSleepers()
    #expect(await poller.count == 3)

    polling.cancel()
  }

  // In a simulation here, so that this package's own tests do not wait.
  @Suite(.simulated) struct Waiting {
    @MainActor
    @Test func `a toast goes away, tested by waiting`() async throws {
      let toast = Toast()
      toast.show("Saved")
      try await Task.sleep(for: .seconds(3.5))  // too short on a busy machine
      #expect(toast.text == nil)
    }
  }

  @MainActor
  @Test(.simulated) func `a toast goes away after three seconds`() async {
    let toast = Toast()
    toast.show("Saved")
    #expect(toast.text == "Saved")

    await settle()
    #expect(toast.text == nil)
    #expect(Simulation.current?.now == .seconds(3))
  }
}

@Suite struct ReadmeExamples {
  @MainActor
  @Test func `loading lasts until the answer reaches the main queue`() {
    let mainQueue = TestScheduler()
    let service = NameServiceMock()
    let model = ProfileModel(service: service, mainQueue: mainQueue)

    model.load()
    #expect(model.isLoading)

    service.answer("Ada")
    #expect(model.isLoading)

    mainQueue.advance()
    #expect(!model.isLoading)
    #expect(model.name == "Ada")
  }

  @MainActor
  @Test func `the screen shows that it is loading, then the name`() async {
    let screen = ProfileScreen(name: { "Ada" })
    var states: [ProfileScreen.State] = []
    let token = screen.$state.sink { states.append($0) }

    await screen.load()
    #expect(states == [.initial, .loading, .loaded("Ada")])

    token.cancel()
  }
}
