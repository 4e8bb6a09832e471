// virtual time: what sleeps here does so in simulations
import Observation
import SleeplessTesting
import TestSupport
import Testing

/// The examples on the pages of assertions that wait.
@MainActor @Suite struct AssertionsReference {
  private let model = NamesModel()
  private let store = NamesStore()

  @Test func `a banner stays for three seconds`() {
    let scheduler = TestScheduler()
    let banner = Banner(scheduler)
    banner.show("Saved")  // for 3 s
    always(during: .milliseconds(2_900), advancing: scheduler) { banner.text == "Saved" }
    #expect(scheduler.now == .milliseconds(2_900))  // at 3 s the condition would be false
    eventually(advancing: scheduler) { banner.text == nil }
    #expect(scheduler.now == .seconds(3))
  }

  @Test func `a banner is not shown again`() {
    let scheduler = TestScheduler()
    let banner = Banner(scheduler)
    banner.show("Saved")  // for 3 s
    scheduler.advance(by: .seconds(3))
    never(during: .seconds(60), advancing: scheduler) { banner.text == "Saved" }
    #expect(scheduler.now == .seconds(63))
  }

  @Test(.needs(.capture), .simulated) func `an actor stays as it is`() async {
    await always(during: .seconds(60)) { await store.names.isEmpty }
    #expect(Simulation.current?.now == .seconds(60))  // of virtual time
  }

  @Test(.needs(.capture), .simulated) func `an actor does not change`() async {
    await never(during: .seconds(60)) { await store.isLoading }
    #expect(Simulation.current?.now == .seconds(60))  // of virtual time
  }

  @Test func `an actor has both names in the end`() async {
    Task { await store.load() }
    await eventually { await store.names == ["Ada", "Grace"] }
  }

  @Test func `an actor's first name is returned`() async throws {
    Task { await store.load() }
    let first = try await eventually { await store.names.first }
    #expect(first == "Ada")
  }

  @Test func `assertions read an actor`() async {
    Task { await store.load() }
    await eventually(asserting: "both names are stored") {
      let names = await store.names
      #expect(names.count == 2)
      #expect(names.first == "Ada")
    }
  }

  @Test func `assertions at rest`() async {
    model.load()
    await asyncAssert("the names are shown") {
      #expect(model.names == ["Ada", "Grace"])
    }
  }

  @Test func `assertions at rest read an actor`() async {
    Task { await store.load() }
    await asyncAssert("the names are stored") {
      let names = await store.names
      #expect(names == ["Ada", "Grace"])
    }
  }

  @Test func `an error of a type`() async {
    let service = NamesService()
    let error = await expectThrows(NotFound.self) { try await service.fetch("Tom") }
    #expect(error?.name == "Tom")
  }

  @Test func `an error that equals another`() async {
    let service = NamesService()
    await expectThrows(NotFound(name: "Tom")) { try await service.fetch("Tom") }
  }

  @Test func `an error that a predicate accepts`() async {
    let service = NamesService()
    let error = await expectThrows(where: { ($0 as? NotFound)?.name.count == 3 }) {
      try await service.fetch("Tom")
    }
    #expect(error is NotFound)
  }

  @Test func `an operation finishes`() async throws {
    let search = Gate<Int>("search")
    let operation = StartedOperation("search") { try await search("swift") }
    let call = try await search.entered()
    #expect(operation.isRunning)
    call.succeed(with: 3)
    #expect(try await operation.expectFinish() == 3)
    #expect(!operation.isRunning)
  }

  @Test(.needs(.capture), .simulated) func `an operation runs for two seconds`() async throws {
    let load = StartedOperation("load") { try await Task.sleep(for: .seconds(3)) }
    await load.expectRunning(during: .seconds(2))
    try await load.expectFinish(within: .seconds(1))  // 3 s of virtual time after the start
    #expect(Simulation.current?.now == .seconds(3))
  }

  @Test(.needs(.capture), .simulated) func `a cancelled operation ends at once`() async {
    let load = StartedOperation("load") { try await Task.sleep(for: .seconds(60)) }
    let end = await load.expectCancellation(within: .zero)
    #expect(throws: CancellationError.self) { try end?.get() }
    #expect(Simulation.current?.now == .zero)
  }
}

/// A message that goes away after three seconds.
private final class Banner: Sendable {
  private let shown = Locked<String?>(nil)
  private let scheduler: TestScheduler

  var text: String? { shown.withLock { $0 } }

  init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

  func show(_ text: String) {
    shown.withLock { $0 = text }
    scheduler.schedule(after: .seconds(3)) { [shown] in shown.withLock { $0 = nil } }
  }
}

@MainActor @Observable private final class NamesModel {
  private(set) var names: [String] = []

  func load() { Task { names = await ["Ada", grace()] } }

  private nonisolated func grace() async -> String { "Grace" }
}

private actor NamesStore {
  private(set) var names: [String] = []
  private(set) var isLoading = false

  func load() async {
    isLoading = true
    names = await ["Ada", grace()]
    isLoading = false
  }

  private nonisolated func grace() async -> String { "Grace" }
}

private struct NotFound: Error, Equatable {
  let name: String
}

private struct NamesService: Sendable {
  func fetch(_ name: String) async throws -> String { throw NotFound(name: name) }
}
