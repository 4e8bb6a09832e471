import Dispatch
import Sleepless
import SleeplessTesting
import Testing

// The examples in the comments of Sources/Sleepless/Publishing, to the letter.

struct LookupError: Error {}

protocol UserService: Sendable {
  func user() -> ErasedPublisher<String, LookupError>
}

struct UserServiceMock: UserService {
  var answer: ErasedPublisher<String, LookupError> = .just("Ada")
  func user() -> ErasedPublisher<String, LookupError> { answer }
}

@Suite struct PublishingExamples {
  let log = Locked<[String]>([])
  var printed: [String] { log.withLock { $0 } }

  func print(_ value: Any) {
    let text = "\(value)"
    log.withLock { $0.append(text) }
  }

  @Test func `example of PublisherType`() {
    let taps = EventSubject<String, Never>()
    let token = taps.map { $0.uppercased() }.sink { print($0) }
    taps.send("hello")  // prints HELLO
    #expect(printed == ["HELLO"])
    token.cancel()
  }

  @Test func `example of SubscriptionToken`() {
    let subject = EventSubject<String, Never>()
    var tokens: Set<SubscriptionToken> = []
    subject.sink { print($0) }.store(in: &tokens)
    subject.send("shown")  // prints shown
    tokens = []
    subject.send("not shown")  // prints nothing
    #expect(printed == ["shown"])
    #expect(tokens.isEmpty)
  }

  @Test func `example of sink`() {
    let publisher = StateSubject<String, Never>("Ada")
    var names: [String] = []
    let token = publisher.sink { completion in
      print(completion)
    } receiveValue: { name in
      names.append(name)
    }
    publisher.send(completion: .finished)  // prints finished
    #expect(names == ["Ada"])
    #expect(printed == ["finished"])
    token.cancel()
  }

  @Test func `example of EventSubject`() {
    let subject = EventSubject<Int, Never>()
    let token = subject.sink { print($0) }
    subject.send(1)  // prints 1
    token.cancel()
    subject.send(2)  // prints nothing
    #expect(printed == ["1"])
  }

  @Test func `example of StateSubject`() {
    let subject = StateSubject<Int, Never>(1)
    let token = subject.sink { print($0) }  // prints 1
    subject.value = 2  // prints 2
    #expect(printed == ["1", "2"])
    token.cancel()
  }
  @Test func `example of ErasedPublisher`() {
    let first = UserServiceMock().user().sink {
      print($0)
    } receiveValue: {
      print($0)
    }
    let second = UserServiceMock(answer: .fail(LookupError())).user()
      .sink {
        print($0)
      } receiveValue: {
        print($0)
      }
    let failure = PublisherCompletion.failure(LookupError())
    #expect(printed == ["Ada", "finished", "\(failure)"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `example of PublishedState`() {
    final class Lamp {
      @PublishedState var isOn = false
    }

    let lamp = Lamp()
    let token = lamp.$isOn.sink { print($0) }  // prints false
    lamp.isOn = true  // prints true
    #expect(printed == ["false", "true"])
    token.cancel()
  }

  @Test func `example of ObservableObjectType`() {
    final class Settings: ObservableObjectType {
      @PublishedState var volume = 5
      @PublishedState var isMuted = false
    }

    let settings = Settings()
    let token = settings.objectWillChange.sink { print("will change from \(settings.volume)") }
    settings.volume = 6  // prints "will change from 5"
    #expect(printed == ["will change from 5"])
    token.cancel()
  }

  @Test func `example of switchToLatest`() {
    let queries = EventSubject<String, Never>()
    let answers = EventSubject<String, Never>()
    let token = queries.map { query in answers.map { "\(query): \($0)" } }
      .switchToLatest()
      .sink { print($0) }
    queries.send("a")
    queries.send("ab")
    answers.send("found")  // prints ab: found
    #expect(printed == ["ab: found"])
    token.cancel()
  }

  @Test func `example of handleEvents`() {
    let answers = EventSubject<String, Never>()
    let token = answers.handleEvents(
      receiveSubscription: { _ in print("loading") },
      receiveOutput: { _ in print("loaded") }
    ).sink { print($0) }  // prints loading
    answers.send("Ada")  // prints loaded, then Ada
    #expect(printed == ["loading", "loaded", "Ada"])
    token.cancel()
  }

  @Test func `example of a timer`() {
    let scheduler = TestScheduler()
    let token = scheduler.timer(every: .seconds(1)).sink { print($0) }
    scheduler.advance(by: .seconds(2))  // prints 1.0 seconds, then 2.0 seconds
    #expect(printed == ["1.0 seconds", "2.0 seconds"])
    token.cancel()
  }

  #if !canImport(Combine)
    @Test func `example of Future`() async {
      let answer = Future<String, Never> { promise in
        DispatchQueue.global().async { promise(.success("Ada")) }
      }
      for await value in answer.values { print(value) }
      #expect(printed == ["Ada"])
    }
  #endif

  @Test func `example of objectWillChange`() {
    final class Volume: ObservableObjectType {
      var level = 5 { willSet { objectWillChange.send() } }
    }

    let volume = Volume()
    let token = volume.objectWillChange.sink { print("will change from \(volume.level)") }
    volume.level = 6  // prints "will change from 5"
    #expect(printed == ["will change from 5"])
    token.cancel()
  }

  @Test func `example of values`() async {
    let numbers = StateSubject<Int, Never>(1)
    for await number in numbers.prefix(2).values {
      print(number)  // prints 1, then 2
      numbers.send(2)
    }
    #expect(printed == ["1", "2"])
  }

  @Test func `example of assign to a published property`() {
    final class Search {
      @PublishedState var query = ""
      @PublishedState var isValid = false
      init() { $query.map { $0.count > 2 }.assign(to: &$isValid) }
    }

    let search = Search()
    search.query = "Ada"
    print(search.isValid)  // prints true
    #expect(printed == ["true"])
  }

  @Test func `example of assign to a key path`() {
    final class Label { var text = "" }

    let label = Label()
    let names = StateSubject<String, Never>("Ada")
    let token = names.assign(to: \.text, on: label)
    print(label.text)  // prints Ada
    #expect(printed == ["Ada"])
    token.cancel()
  }

  @Test func `example of share`() {
    let sizes = EventSubject<Int, Never>()
    let texts = sizes.map { size in
      print("counting")
      return "\(size) bytes"
    }.share()
    let tokens = [texts.sink { print($0) }, texts.sink { print($0) }]
    sizes.send(1)  // prints counting once, and "1 bytes" twice
    #expect(printed == ["counting", "1 bytes", "1 bytes"])
    withExtendedLifetime(tokens) {}
  }
}
