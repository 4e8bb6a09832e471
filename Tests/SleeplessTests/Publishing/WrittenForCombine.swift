#if canImport(Combine)
  import Combine
#else
  import Sleepless
#endif
import Testing

// A view model and its test, written for Combine. Without Combine only the import above differs.
// `Tests/Fixtures/Combine` runs this same file with Combine's own types, or OpenCombine's in their
// place, and so shows that all behave the same.

private enum ViewState: Equatable, Sendable {
  case initial, loading
  case loaded(String)
  case error(String)
}

private struct Offline: Error {}
private struct Timeout: Error {}

private protocol UserService {
  func user() -> AnyPublisher<String, Offline>
}

private final class UserServiceMock: UserService {
  let answers = PassthroughSubject<String, Offline>()

  func user() -> AnyPublisher<String, Offline> { answers.eraseToAnyPublisher() }
}

@MainActor
private final class UserViewModel: ObservableObject {
  @Published private(set) var state: ViewState = .initial
  @Published var query = ""

  private let service: any UserService
  private var cancellables = Set<AnyCancellable>()

  init(service: any UserService) { self.service = service }

  func load() {
    state = .loading
    service.user()
      .map { "user \($0)" }
      .filter { !$0.isEmpty }
      .sink(
        receiveCompletion: { [weak self] completion in
          if case .failure = completion { self?.state = .error("You are offline.") }
        },
        receiveValue: { [weak self] name in self?.state = .loaded(name) }
      )
      .store(in: &cancellables)
  }
}

@MainActor
@Suite struct WrittenForCombineTests {
  private let service = UserServiceMock()

  @Test func `a published state's history`() {
    let model = UserViewModel(service: service)
    var states: [ViewState] = []
    let cancellable = model.$state.sink { states.append($0) }
    model.load()
    service.answers.send("Ada")
    service.answers.send(completion: .failure(Offline()))
    #expect(states == [.initial, .loading, .loaded("user Ada"), .error("You are offline.")])
    cancellable.cancel()
  }

  @Test func `an observable object announces each change before it happens`() {
    let model = UserViewModel(service: service)
    var events: [String] = []
    var cancellables = Set<AnyCancellable>()
    model.objectWillChange.sink { events.append("will change '\(model.query)'") }
      .store(in: &cancellables)
    model.$query.sink { events.append("'\($0)' instead of '\(model.query)'") }
      .store(in: &cancellables)
    model.query = "s"
    #expect(events == ["'' instead of ''", "will change ''", "'s' instead of ''"])
  }

  @Test func `a subject with a current value`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    var values: [Int] = []
    let cancellable = subject.removeDuplicates().prefix(3).sink { values.append($0) }
    for value in [1, 2, 2, 3, 4] { subject.send(value) }
    #expect(values == [1, 2, 3])
    #expect(subject.value == 4)
    cancellable.cancel()
  }

  @Test func `completions by name and cancellables in an array`() {
    let subject = PassthroughSubject<Int, Offline>()
    var completions: [Subscribers.Completion<Offline>] = []
    var cancellables: [AnyCancellable] = []
    subject.sink {
      completions.append($0)
    } receiveValue: { _ in
    }.store(in: &cancellables)
    subject.send(completion: .finished)
    guard case .finished? = completions.first else { return #expect(Bool(false)) }
    #expect(completions.count == 1)
  }

  @Test func `properties that follow other properties`() {
    let model = FormModel()
    var states: [Bool] = []
    let cancellable = model.$isValid.dropFirst().sink { states.append($0) }
    model.name = "Ada"
    model.name = "Al"
    #expect(states == [true, false])
    #expect(model.label == "Al")
    cancellable.cancel()
  }

  @Test func `answers that are there at once`() {
    var answers: [AnyPublisher<String, Offline>] = [
      Just("Ada").setFailureType(to: Offline.self).eraseToAnyPublisher(),
      Fail(error: Offline()).eraseToAnyPublisher(),
    ]
    answers.append(Empty().eraseToAnyPublisher())
    answers.append(Empty(completeImmediately: false).eraseToAnyPublisher())
    var events: [String] = []
    let cancellables = answers.map {
      $0.sink(
        receiveCompletion: { events.append("\($0)".hasPrefix("finished") ? "." : "!") },
        receiveValue: { events.append($0) })
    }
    #expect(events == ["Ada", ".", "!", "."])
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test func `errors that are replaced and changed, and results`() {
    let answers: [Result<String, Offline>] = [.success("Ada"), .failure(Offline())]
    var events: [String] = []
    var cancellables = Set<AnyCancellable>()
    for answer in answers {
      answer.publisher.replaceError(with: "nobody").sink { events.append($0) }
        .store(in: &cancellables)
      answer.publisher.mapError { _ in Timeout() }.sink {
        if case .failure(let error) = $0 { events.append("\(error)") }
      } receiveValue: {
        events.append($0)
      }.store(in: &cancellables)
    }
    #expect(events == ["Ada", "Ada", "nobody", "Timeout()"])
  }

  @Test func `a future, and what happens around its answer`() {
    var events: [String] = []
    let future = Future<String, Offline> { promise in
      events.append("started")
      promise(.success("Ada"))
    }
    let cancellable = future.handleEvents(
      receiveSubscription: { _ in events.append("loading") },
      receiveOutput: { events.append("got \($0)") },
      receiveCompletion: { _ in events.append("loaded") },
      receiveCancel: { events.append("cancelled") }
    )
    .sink(receiveCompletion: { _ in events.append(".") }, receiveValue: { events.append($0) })
    #expect(events == ["started", "loading", "got Ada", "Ada", "loaded", "."])
    cancellable.cancel()
  }

  @Test func `counted, collected and shared values`() {
    let subject = PassthroughSubject<Int, Never>()
    let shared = subject.share()
    var events: [String] = []
    var cancellables = Set<AnyCancellable>()
    shared.first().sink { events.append("first \($0)") }.store(in: &cancellables)
    shared.collect(2).sink { events.append("\($0)") }.store(in: &cancellables)
    shared.collect().sink { events.append("all \($0)") }.store(in: &cancellables)
    for number in 1...3 { subject.send(number) }
    subject.send(completion: .finished)
    // Combine leaves the order among subscribers open.
    #expect(events.sorted() == ["[1, 2]", "[3]", "all [1, 2, 3]", "first 1"])
  }
}

private final class FormModel: ObservableObject {
  @Published var name = ""
  @Published private(set) var isValid = false
  var label = ""
  private var cancellables = Set<AnyCancellable>()

  init() {
    $name.map { $0.count > 2 }.assign(to: &$isValid)
    $name.assign(to: \.label, on: self).store(in: &cancellables)
  }
}
