// virtual time: what sleeps here does so in simulations
#if !canImport(Combine)
  import Foundation
  import Sleepless
  import SleeplessTesting
  import TestSupport
  import Testing

  // The examples in the comments of CombineNames+….swift in Sources/Sleepless/Publishing, to the letter.

  @Suite struct CombineNamesReference: PrintingSuite {
    let log = Locked<[String]>([])

    @Test func `one value`() {
      let token = Just("Ada").sink { print($0) }  // prints Ada
      #expect(printed == ["Ada"])
      token.cancel()
    }

    @Test func `one value, and the end`() {
      let token = Just("Ada").subscribe(
        receiveCompletion: { print($0) },
        receiveValue: { print($0) })  // prints Ada, then finished
      #expect(printed == ["Ada", "finished"])
      token.cancel()
    }

    @Test func `an end or none`() {
      let ends = Empty<Int, Never>().sink(
        receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints finished
      let lasts = Empty<Int, Never>(completeImmediately: false).sink(
        receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints nothing
      #expect(printed == ["finished"])
      withExtendedLifetime((ends, lasts)) {}
    }

    @Test func `only the end`() {
      let token = Empty<Int, Never>().subscribe(
        receiveCompletion: { print($0) },
        receiveValue: { print($0) })  // prints finished
      #expect(printed == ["finished"])
      token.cancel()
    }

    @Test func `one error`() {
      let token = Fail<String, LoadError>(error: .offline)
        .replaceError(with: "no connection")
        .sink { print($0) }  // prints "no connection"
      #expect(printed == ["no connection"])
      token.cancel()
    }

    @Test func `one error, with the type of the values`() {
      let token = Fail(outputType: String.self, failure: LoadError.offline)
        .replaceError(with: "no connection")
        .sink { print($0) }  // prints "no connection"
      #expect(printed == ["no connection"])
      token.cancel()
    }

    @Test func `only an error`() {
      let token = Fail<String, LoadError>(error: .offline).subscribe(
        receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
        receiveValue: { print($0) })  // prints offline
      #expect(printed == ["offline"])
      token.cancel()
    }

    @Test func `the latest values of two publishers`() {
      let (width, height) = (StateSubject<Int, Never>(2), StateSubject<Int, Never>(3))
      let token = Publishers.CombineLatest(width, height).sink { print($0 * $1) }  // prints 6
      width.value = 4  // prints 12
      #expect(printed == ["6", "12"])
      token.cancel()
    }

    @Test func `a subscription to the latest values of two publishers`() {
      let (width, height) = (StateSubject<Int, Never>(2), StateSubject<Int, Never>(3))
      let token = Publishers.CombineLatest(width, height).subscribe(
        receiveCompletion: { print($0) },
        receiveValue: { print($0 * $1) })  // prints 6
      width.value = 4  // prints 12
      #expect(printed == ["6", "12"])
      token.cancel()
    }

    @Test func `the latest values of three publishers`() {
      let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
      let blue = EventSubject<Int, Never>()
      let token = Publishers.CombineLatest3(red, green, blue).sink { print($0 + $1 + $2) }
      blue.send(3)  // prints 6, the first result: now all have sent a value
      #expect(printed == ["6"])
      token.cancel()
    }

    @Test func `a subscription to the latest values of three publishers`() {
      let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
      let blue = EventSubject<Int, Never>()
      let token = Publishers.CombineLatest3(red, green, blue).subscribe(
        receiveCompletion: { print($0) },
        receiveValue: { print($0 + $1 + $2) })
      blue.send(3)  // prints 6, the first result: now all have sent a value
      #expect(printed == ["6"])
      token.cancel()
    }

    @Test func `two publishers merged`() {
      let (taps, keys) = (EventSubject<String, Never>(), EventSubject<String, Never>())
      let token = Publishers.Merge(taps, keys).sink { print($0) }
      keys.send("key")  // prints key
      taps.send("tap")  // prints tap
      #expect(printed == ["key", "tap"])
      token.cancel()
    }

    @Test func `a subscription to two publishers merged`() {
      let (taps, keys) = (EventSubject<String, Never>(), EventSubject<String, Never>())
      let token = Publishers.Merge(taps, keys).subscribe(
        receiveCompletion: { print($0) },
        receiveValue: { print($0) })
      keys.send("key")  // prints key
      taps.send("tap")  // prints tap
      #expect(printed == ["key", "tap"])
      token.cancel()
    }

    @Test func `a result as a publisher`() {
      let answer = Result<Int, LoadError>.success(42)
      let token = answer.publisher.replaceError(with: 0).sink { print($0) }  // prints 42
      #expect(printed == ["42"])
      token.cancel()
    }

    @Test func `a future works at once, and keeps its first result`() {
      let answer = Future<String, Never> { promise in
        print("working")  // at once: prints working
        promise(.success("Ada"))
        promise(.success("Tom"))  // has no effect
      }
      let token = answer.sink { print($0) }  // prints Ada
      #expect(printed == ["working", "Ada"])
      token.cancel()
    }

    @Test func `a subscriber of a future gets the value and the end`() {
      let answer = Future<String, Never> { promise in promise(.success("Ada")) }
      let token = answer.subscribe(
        receiveCompletion: { print($0) },
        receiveValue: { print($0) })  // prints Ada, then finished
      #expect(printed == ["Ada", "finished"])
      token.cancel()
    }

    @Test func `a deferred publisher is made for each subscriber`() {
      let greeting = Deferred {
        print("made")
        return Just("hello")
      }
      let first = greeting.sink { print($0) }  // prints made, then hello
      let second = greeting.sink { print($0) }  // prints made, then hello
      #expect(printed == ["made", "hello", "made", "hello"])
      withExtendedLifetime((first, second)) {}
    }

    @Test func `a subscription to a deferred publisher`() {
      let token = Deferred { Just("hello") }.subscribe(
        receiveCompletion: { print($0) },
        receiveValue: { print($0) })  // prints hello, then finished
      #expect(printed == ["hello", "finished"])
      token.cancel()
    }

    @Test func `notifications with a name`() {
      let (center, saved) = (NotificationCenter(), Notification.Name("saved"))
      let token = center.publisher(for: saved).sink { print($0.userInfo?["title"] ?? "untitled") }
      center.post(name: saved, object: nil, userInfo: ["title": "Draft"])  // prints Draft
      center.post(name: saved, object: nil)  // prints untitled
      center.post(name: Notification.Name("closed"), object: nil)  // prints nothing
      #expect(printed == ["Draft", "untitled"])
      token.cancel()
    }

    @Test(.simulated, .needs(.runLoops), .needs(.dates))
    func `a timer with Combine's name`() async throws {
      let ticks = Timer.publish(every: 1, on: .main, in: .common).autoconnect()
      let token = ticks.sink { _ in print("tick") }
      try await Task.sleep(for: .milliseconds(2500))  // prints tick twice
      token.cancel()
      try await Task.sleep(for: .seconds(10))
      #expect(printed == ["tick", "tick"])
    }
  }
#endif
