import Sleepless
import Testing

// The examples in the comments of Sources/Sleepless/Publishing, to the letter.

@Suite struct PublishingExamples {
  let log = Locked<[String]>([])
  var printed: [String] { log.withLock { $0 } }

  func print(_ value: Any) {
    let text = "\(value)"
    log.withLock { $0.append(text) }
  }

  @Test func `example of PublisherType`() {
    let taps = EventSubject<String, Never>()
    let token = taps.sink { print($0) }
    taps.send("hello")  // prints hello
    #expect(printed == ["hello"])
    token.cancel()
  }

  @Test func `example of SubscriptionToken`() {
    let subject = EventSubject<String, Never>()
    let show = print
    var tokens: Set<SubscriptionToken> = []
    subject.sink { show($0) }.store(in: &tokens)
    subject.send("shown")
    tokens = []  // and nothing more is shown
    subject.send("not shown")
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
    publisher.send(completion: .finished)
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
}
