// virtual time: what sleeps here does so in simulations
import Observation
import SleeplessTesting
import Testing
import TestSupport
import XCTest

// The examples of assertions that wait, to the letter, and what shows that they are true.

@MainActor @Observable private final class NamesModel {
  enum State { case idle, loading, loaded }
  private(set) var names: [String] = []
  private(set) var state = State.idle
  private(set) var user: String?
  let isOnline = true
  var isLoading: Bool { state == .loading }

  func load() {
    state = .loading
    Task {
      names = await ["Ada", grace()]
      user = "Ada"
      state = .loaded
    }
  }

  func search(_ text: String) async throws { try await Task.sleep(for: .seconds(60)) }

  private nonisolated func grace() async -> String { "Grace" }
}

private struct NamesService: Sendable {
  struct NotFound: Error {}

  func fetch(_ name: String) async throws -> String { throw NotFound() }

  func fetchName(completion: @escaping @Sendable (String) -> Void) {
    Task { completion("Ada") }
  }
}

/// Shown 61 seconds after its making.
private final class LateBanner: Sendable {
  private let state = Locked(false)
  var isShown: Bool { state.withLock { $0 } }

  init(_ scheduler: TestScheduler) {
    scheduler.schedule(after: .seconds(61)) { [state] in state.withLock { $0 = true } }
  }
}

@MainActor @Suite struct AssertionExamples {
  private let model = NamesModel()
  private let service = NamesService()

  @Test func `example of the article`() async {
    model.load()
    await eventually { model.names == ["Ada", "Grace"] }
  }

  @Test func `example of eventually`() async {
    model.load()
    await eventually { model.state == .loaded }
  }

  @Test func `example of a value`() async throws {
    model.load()
    let user = try await eventually { model.user }
    #expect(user == "Ada")
  }

  @Test func `example of assertions`() async {
    model.load()
    await eventually(asserting: "the names are shown") {
      #expect(model.names == ["Ada", "Grace"])
      #expect(!model.isLoading)
    }
  }

  @Test(.simulated) func `examples of always and never`() async {
    await always(during: .seconds(60)) { model.isOnline }
    await never(during: .seconds(60)) { model.isLoading }
    #expect(Simulation.current?.now == .seconds(120))
  }

  @Test func `examples of advancing`() {
    let scheduler = TestScheduler()
    let banner = LateBanner(scheduler)
    never(during: .seconds(60), advancing: scheduler) { banner.isShown }
    eventually(advancing: scheduler) { banner.isShown }
    #expect(scheduler.now == .seconds(61))
  }

  @Test func `example of eventually on a scheduler`() {
    enum State { case loading, loaded }
    final class Model: Sendable {
      private let box = Locked(State.loading)
      var state: State { box.withLock { $0 } }
      init(_ scheduler: TestScheduler) {
        scheduler.schedule(after: .seconds(3)) { [box] in box.withLock { $0 = .loaded } }
      }
    }
    let scheduler = TestScheduler()
    let model = Model(scheduler)
    eventually(advancing: scheduler) { model.state == .loaded }
    #expect(scheduler.now == .seconds(3))
  }

  @Test func `example of expectThrows`() async {
    let error = await expectThrows { try await service.fetch("nobody") }
    #expect(error is NamesService.NotFound)
  }

  @Test(.needs(.capture), .simulated) func `example of StartedOperation`() async {
    let search = StartedOperation("search") { try await model.search("swift") }
    await search.expectRunning(during: .seconds(5))
    await search.expectCancellation(within: .zero)
    #expect(Simulation.current?.now == .seconds(5))
  }

  @Test func `example of expectExactlyOnce`() async throws {
    let name = try await expectExactlyOnce("the completion") { done in
      service.fetchName(completion: done)
    }
    #expect(name == "Ada")
  }

  @Test(.checkedAtEnd) func `every answer is read`() throws {
    let answers = Recorder<String, Never>("answers")
    answers.record("Ada")
    #expect(try answers.next() == "Ada")
  }
}

final class AssertionXCTExamples: XCTestCase {
  @MainActor func testAnotherOne() async {
    let model = NamesModel()
    model.load()
    await asyncAssert("the names are shown") { XCTAssertEqual(model.names, ["Ada", "Grace"]) }
  }
}

/// Loads on behalf of a synchronous test, which is not the main actor's.
@MainActor private final class NamesList {
  private(set) var names: [String] = []
  nonisolated init() {}

  nonisolated func load() { Task { await show(["Ada", "Grace"]) } }

  private func show(_ names: [String]) { self.names = names }
}

final class AsyncAssertExamples: XCTestCase {
  override func setUpWithError() throws { try Need.capture.orSkip() }

  func testNamesAreShown() {
    let model = NamesList()
    model.load()
    asyncAssert("the names are shown") {
      XCTAssertEqual(model.names, ["Ada", "Grace"])
    }
  }
}
