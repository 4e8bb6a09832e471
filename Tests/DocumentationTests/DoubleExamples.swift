import SleeplessTesting
import Testing

// Every Swift block about doubles that is not one of ExampleTests', to the letter, and what it needs
// round it.

private protocol Analytics: Sendable {
  func track(_ event: String, count: Int)
}

struct AnalyticsMock: Analytics {
  let tracked = Spy<(String, Int)>("track")

  func track(_ event: String, count: Int) { tracked(event, count) }
}

private protocol WeatherSource: Sendable {
  func temperature(in city: String) async throws -> Int
}

struct WeatherMock: WeatherSource {
  let fetch = Stub<String, Int>("temperature")

  func temperature(in city: String) async throws -> Int { try await fetch(city) }
}

private enum SearchError: Error { case tooShort, offline }

private struct SearchMock: Sendable {
  let fetch = Stub<String, [String]>("search")
}

private struct CatService: Sendable {
  let answer = Gate<String>("fetchCat")
}

@MainActor
private final class HeldCatModel {
  private(set) var state: CatState = .initial
  private let service: CatService

  init(service: CatService) { self.service = service }

  func load() async {
    state = .loading
    if let cat = try? await service.answer() { state = .loaded(cat) }
  }
}

extension String {
  fileprivate static let cats = "Tom"
}

@Suite struct DoubleExamples {
  @Test func `a spy in a mock`() throws {
    let analytics = AnalyticsMock()
    analytics.track("open", count: 2)
    #expect(try analytics.tracked.next() == ("open", 2))
  }

  @Test func `a stub in a mock`() async throws {
    let weather = WeatherMock()
    weather.fetch.always(.value(21))
    #expect(try await weather.temperature(in: "Rome") == 21)
  }

  @MainActor
  @Test func `the state in between`() async throws {
    let service = CatService()
    let model = HeldCatModel(service: service)
    let loading = Task { await model.load() }

    let call = try await service.answer.entered()
    #expect(model.state == .loading)
    call.succeed(with: .cats)

    await loading.value
    #expect(model.state == .loaded(.cats))
  }

  @Test(.simulated) func `what a stub answers`() async throws {
    let service = SearchMock()

    service.fetch.always(.value(["swift.org"]))
    service.fetch.always(.error(SearchError.tooShort), for: "")
    service.fetch.inTurn(.error(SearchError.offline), .value([]), for: "swift")
    service.fetch.always(.after(.seconds(2), .value([])), where: { $0.count > 20 })

    #expect(try await service.fetch("swan") == ["swift.org"])
    await #expect(throws: SearchError.tooShort) { try await service.fetch("") }
    await #expect(throws: SearchError.offline) { try await service.fetch("swift") }
    #expect(try await service.fetch("swift") == [])
    #expect(try await service.fetch("swift") == ["swift.org"])
    #expect(try await service.fetch("how to learn Swift quickly") == [])
    #expect(Simulation.current?.now == .seconds(2))
  }

  @Test func `what a spy has seen`() {
    let scheduler = TestScheduler()
    let save = Spy<String>("save", time: .of(scheduler))
    save("Ada")
    scheduler.advance(by: .seconds(2))
    save("Tom")

    #expect(save.count == 2)
    #expect(save.last == "Tom")
    #expect(save.arguments == ["Ada", "Tom"])
    #expect(save.all[1] == SpyCall(arguments: "Tom", time: .seconds(2)))
  }
}
