#if canImport(Combine)
  import Combine
  import Sleepless
  import SleeplessTesting
  import Testing

  // The examples in the comments of Sources/Sleepless that are only for systems with Combine.

  @Suite struct CombineBridgesReference: PrintingSuite {
    let log = Locked<[String]>([])

    @Test func `Combine's operators on a test scheduler`() {
      let scheduler = TestScheduler()
      let query = Combine.PassthroughSubject<String, Never>()
      let token = query.debounce(for: 0.3, scheduler: scheduler.combine()).sink { print($0) }
      for text in ["s", "sw", "swift"] { query.send(text) }
      scheduler.advance(by: .milliseconds(300))  // prints swift
      #expect(printed == ["swift"])
      token.cancel()
    }

    @Test func `Combine's operators on a publisher of ours`() {
      let numbers = EventSubject<Int, Never>()
      let token = numbers.combine.scan(0) { $0 + $1 }.sink { print($0) }
      numbers.send(1)  // prints 1
      numbers.send(2)  // prints 3
      #expect(printed == ["1", "3"])
      token.cancel()
    }

    @Test func `a publisher of Combine's as one of ours`() {
      let subject = Combine.PassthroughSubject<Int, Never>()
      let numbers = ErasedPublisher(subject)
      let token = numbers.sink { print($0) }
      subject.send(1)  // prints 1
      #expect(printed == ["1"])
      token.cancel()
    }
  }
#endif
