import Sleepless
import SleeplessTesting
import Testing

// The examples in the comments of Sources/Sleepless/Publishing, to the letter, and what shows that they are true.

@Suite struct PublishingReference: PrintingSuite {
  let log = Locked<[String]>([])

  // MARK: Subscriptions

  @Test func `a subscription of two closures`() {
    let subject = EventSubject<Int, Never>()
    let token = subject.subscribe(
      receiveCompletion: { print($0) },
      receiveValue: { print($0) })
    subject.send(1)  // prints 1
    subject.send(completion: .finished)  // prints finished
    #expect(printed == ["1", "finished"])
    token.cancel()
  }

  @Test func `the sink of a publisher that cannot fail takes one closure`() {
    let names = StateSubject<String, Never>("Ada")
    var shown: [String] = []
    let token = names.sink { shown.append($0) }
    names.send("Tom")
    #expect(shown == ["Ada", "Tom"])
    token.cancel()
  }

  @Test func `a token runs its closure once`() {
    let token = SubscriptionToken { print("ended") }
    token.cancel()  // prints ended
    token.cancel()  // prints nothing
    #expect(printed == ["ended"])
  }

  @Test func `a cancelled subscription gets nothing`() {
    let subject = EventSubject<Int, Never>()
    let token = subject.sink { print($0) }
    token.cancel()
    subject.send(1)  // prints nothing
    #expect(printed == [])
  }

  @Test func `a token is equal only to itself`() {
    let token = SubscriptionToken {}
    let tokens: Set = [token, token, SubscriptionToken {}]
    print(tokens.count)  // prints 2
    #expect(printed == ["2"])
  }

  @Test func `work in a set is cancelled with it`() {
    let scheduler = TestScheduler()
    var tokens: Set<SubscriptionToken> = []
    scheduler.schedule(after: .seconds(2)) { print("hidden") }.store(in: &tokens)
    tokens = []
    scheduler.advance(by: .seconds(2))  // prints nothing
    #expect(printed == [])
    #expect(tokens.isEmpty)
  }

  @Test func `work in an array is cancelled with it`() {
    let scheduler = TestScheduler()
    var tokens: [SubscriptionToken] = []
    scheduler.schedule(after: .seconds(2)) { print("hidden") }.store(in: &tokens)
    tokens = []
    scheduler.advance(by: .seconds(2))  // prints nothing
    #expect(printed == [])
    #expect(tokens.isEmpty)
  }

  @Test func `a subscription in a set ends with it`() {
    let subject = EventSubject<Int, Never>()
    var tokens: Set<SubscriptionToken> = []
    subject.sink { print($0) }.store(in: &tokens)
    subject.send(1)  // prints 1
    tokens = []
    subject.send(2)  // prints nothing
    #expect(printed == ["1"])
    #expect(tokens.isEmpty)
  }

  @Test func `a subscription in an array ends with it`() {
    let subject = EventSubject<Int, Never>()
    var tokens: [SubscriptionToken] = []
    subject.sink { print($0) }.store(in: &tokens)
    subject.send(1)  // prints 1
    tokens = []
    subject.send(2)  // prints nothing
    #expect(printed == ["1"])
    #expect(tokens.isEmpty)
  }

  // MARK: Subjects

  @Test func `a new event subject remembers nothing`() {
    let subject = EventSubject<Int, Never>()
    subject.send(1)
    let token = subject.sink { print($0) }  // prints nothing
    subject.send(2)  // prints 2
    #expect(printed == ["2"])
    token.cancel()
  }

  @Test func `a value sent in a callback comes after the callback`() {
    let subject = EventSubject<Int, Never>()
    let token = subject.sink { value in
      print(value)
      if value == 1 { subject.send(2) }
      print("end of \(value)")
    }
    subject.send(1)  // prints 1, "end of 1", 2, "end of 2"
    #expect(printed == ["1", "end of 1", "2", "end of 2"])
    token.cancel()
  }

  @Test func `an event subject sends nothing after its end`() {
    let subject = EventSubject<Int, Never>()
    let token = subject.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    subject.send(completion: .finished)  // prints finished
    subject.send(1)  // prints nothing
    #expect(printed == ["finished"])
    token.cancel()
  }

  @Test func `an event may have no value`() {
    let taps = EventSubject<Void, Never>()
    let token = taps.sink { print("tapped") }
    taps.send()  // prints tapped
    #expect(printed == ["tapped"])
    token.cancel()
  }

  @Test func `a state has a value from the beginning`() {
    let volume = StateSubject<Int, Never>(5)
    print(volume.value)  // prints 5
    let token = volume.sink { print($0) }  // prints 5
    #expect(printed == ["5", "5"])
    token.cancel()
  }

  @Test func `a state sends equal values, too`() {
    let volume = StateSubject<Int, Never>(5)
    volume.send(6)
    let token = volume.sink { print($0) }  // prints 6
    volume.send(6)  // prints 6 again: an equal value is sent, too
    #expect(printed == ["6", "6"])
    token.cancel()
  }

  @Test func `a state keeps its value after its end`() {
    let volume = StateSubject<Int, Never>(5)
    let token = volume.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    // prints 5
    volume.send(completion: .finished)  // prints finished
    volume.send(6)
    print(volume.value)  // prints 5
    #expect(printed == ["5", "finished", "5"])
    token.cancel()
  }

  @Test func `a state without a value sends at the subscription`() {
    let changes = StateSubject<Void, Never>(())
    let token = changes.sink { print("draw") }  // prints draw
    changes.send()  // prints draw
    #expect(printed == ["draw", "draw"])
    token.cancel()
  }

  @Test func `a subscriber of a state gets the current value first`() {
    let volume = StateSubject<Int, Never>(5)
    let token = volume.subscribe(
      receiveCompletion: { print($0) },
      receiveValue: { print($0) })  // prints 5
    volume.send(completion: .finished)  // prints finished
    #expect(printed == ["5", "finished"])
    token.cancel()
  }

  // MARK: Published properties

  @Test func `a published property begins with its value`() {
    final class Lamp {
      @PublishedState var isOn = false  // calls this initialiser
    }

    print(Lamp().isOn)  // prints false
    #expect(printed == ["false"])
  }

  @Test func `a published property gets its value in an initialiser`() {
    final class Lamp {
      @PublishedState var isOn: Bool
      init(isOn: Bool) { _isOn = PublishedState(initialValue: isOn) }
    }

    print(Lamp(isOn: true).isOn)  // prints true
    #expect(printed == ["true"])
  }

  @Test func `a subscriber of a property gets its current value first`() {
    final class Lamp { @PublishedState var isOn = false }

    let lamp = Lamp()
    let token = lamp.$isOn.subscribe(
      receiveCompletion: { _ in },  // never called
      receiveValue: { print($0) })  // prints false
    lamp.isOn = true  // prints true
    #expect(printed == ["false", "true"])
    token.cancel()
  }

  // MARK: Simple publishers

  @Test func `an erased publisher cannot send`() {
    let subject = EventSubject<Int, Never>()
    let numbers = ErasedPublisher(subject)  // has no `send`
    let token = numbers.sink { print($0) }
    subject.send(1)  // prints 1
    #expect(printed == ["1"])
    token.cancel()
  }

  @Test func `a class hides its subject`() {
    final class Player {
      private let subject = EventSubject<Int, Never>()
      var position: ErasedPublisher<Int, Never> { subject.eraseToAnyPublisher() }
      func seek(to second: Int) { subject.send(second) }
    }
    let player = Player()
    let token = player.position.sink { print($0) }
    player.seek(to: 30)  // prints 30
    #expect(printed == ["30"])
    token.cancel()
  }

  @Test func `one value and the end come at the subscription`() {
    let user: ErasedPublisher<String, Never> = .just("Ada")
    let token = user.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    // prints Ada, then finished
    #expect(printed == ["Ada", "finished"])
    token.cancel()
  }

  @Test func `an error comes at the subscription`() {
    let user: ErasedPublisher<String, LoadError> = .fail(.offline)
    let token = user.sink(
      receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
      receiveValue: { print($0) })
    // prints offline
    #expect(printed == ["offline"])
    token.cancel()
  }

  @Test func `an end without a value comes at the subscription`() {
    let none: ErasedPublisher<Int, Never> = .empty
    let token = none.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    // prints finished
    #expect(printed == ["finished"])
    token.cancel()
  }

  @Test func `nothing comes, and no end`() {
    let scheduler = TestScheduler()
    let answer: ErasedPublisher<Int, Never> = .never
    let token = answer.timeout(.seconds(5), scheduler: scheduler)
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    scheduler.advance(by: .seconds(5))  // the timeout prints finished
    #expect(printed == ["finished"])
    token.cancel()
  }

  @Test func `a subscription of two closures to an erased publisher`() {
    let user: ErasedPublisher<String, Never> = .just("Ada")
    let token = user.subscribe(
      receiveCompletion: { print($0) },
      receiveValue: { print($0) })
    // prints Ada, then finished
    #expect(printed == ["Ada", "finished"])
    token.cancel()
  }

  // MARK: Sequences

  @Test func `an iterator keeps the values that come before it is asked`() async {
    let subject = EventSubject<Int, Never>()
    var values = subject.values.makeAsyncIterator()  // subscribes
    subject.send(1)
    subject.send(completion: .finished)
    #expect(await values.next() == 1)
    #expect(await values.next() == nil)
  }

  @Test func `the values of a publisher that fails end with its error`() async {
    let pages = EventSubject<Int, LoadError>()
    var values = pages.values.makeAsyncIterator()  // subscribes
    pages.send(1)
    pages.send(completion: .failure(.offline))
    do {
      while let page = try await values.next() { print(page) }  // prints 1
    } catch { print(error) }  // prints offline
    #expect(printed == ["1", "offline"])
  }

  @Test func `a loop over the values of a publisher that fails`() async {
    let page: ErasedPublisher<Int, LoadError> = .fail(.offline)
    do {
      for try await number in page.values { print(number) }
    } catch { print(error) }  // prints offline
    #expect(printed == ["offline"])
  }
}
