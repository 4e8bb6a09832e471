import Sleepless
import SleeplessTesting
import Testing

// The examples in the comments of Sources/Sleepless/Publishing/Operators, to the letter, and what shows that they are
// true. Those of the operators that take time are in `TimeOperatorsReference.swift`.

@Suite struct OperatorsReference: PrintingSuite {
  let log = Locked<[String]>([])

  // MARK: Values

  @Test func `each value is transformed`() {
    let sizes = EventSubject<Int, Never>()
    let token = sizes.map { "\($0) bytes" }.sink { print($0) }
    sizes.send(20)  // prints 20 bytes
    #expect(printed == ["20 bytes"])
    token.cancel()
  }

  @Test func `what is nil is dropped`() {
    let texts = EventSubject<String, Never>()
    let token = texts.compactMap { Int($0) }.sink { print($0) }
    for text in ["1", "two", "3"] { texts.send(text) }  // prints 1, then 3
    #expect(printed == ["1", "3"])
    token.cancel()
  }

  @Test func `what does not satisfy the condition is dropped`() {
    let numbers = EventSubject<Int, Never>()
    let token = numbers.filter { $0 > 1 }.sink { print($0) }
    for number in [1, 2, 3] { numbers.send(number) }  // prints 2, then 3
    #expect(printed == ["2", "3"])
    token.cancel()
  }

  @Test func `a publisher that cannot fail gets the type of an error`() {
    let cached: ErasedPublisher<String, Never> = .just("cached")
    let loaded = EventSubject<String, LoadError>()
    let pages = cached.setFailureType(to: LoadError.self).merge(with: loaded)
    let token = pages.replaceError(with: "error").sink { print($0) }  // prints cached
    loaded.send("loaded")  // prints loaded
    #expect(printed == ["cached", "loaded"])
    token.cancel()
  }

  @Test func `a value that equals the last one is dropped`() {
    let numbers = EventSubject<Int, Never>()
    let token = numbers.removeDuplicates().sink { print($0) }
    for number in [1, 1, 2, 1] { numbers.send(number) }  // prints 1, 2, 1
    #expect(printed == ["1", "2", "1"])
    token.cancel()
  }

  @Test func `a value is compared with the last one that was sent`() {
    let heights = EventSubject<Int, Never>()
    let token = heights.removeDuplicates { abs($0 - $1) < 10 }.sink { print($0) }
    for height in [0, 6, 12, 18] { heights.send(height) }  // prints 0, then 12
    #expect(printed == ["0", "12"])
    token.cancel()
  }

  // MARK: Parts

  @Test func `the first value is dropped`() {
    let volume = StateSubject<Int, Never>(5)
    let token = volume.dropFirst().sink { print($0) }  // prints nothing
    volume.value = 6  // prints 6
    #expect(printed == ["6"])
    token.cancel()
  }

  @Test func `the first value is also the last`() {
    let names = StateSubject<String, Never>("Ada")
    let token = names.first().sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    // prints Ada, then finished
    names.value = "Tom"  // prints nothing
    #expect(printed == ["Ada", "finished"])
    token.cancel()
  }

  @Test func `the last value of a prefix is followed by the end`() {
    let numbers = EventSubject<Int, Never>()
    let token = numbers.prefix(2)
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    numbers.send(1)  // prints 1
    numbers.send(2)  // prints 2, then finished
    numbers.send(3)  // prints nothing
    #expect(printed == ["1", "2", "finished"])
    token.cancel()
  }

  @Test func `all values in one array`() {
    let numbers = EventSubject<Int, Never>()
    let token = numbers.collect().sink { print($0) }
    numbers.send(1)
    numbers.send(2)  // until here, prints nothing
    numbers.send(completion: .finished)  // prints [1, 2]
    #expect(printed == ["[1, 2]"])
    token.cancel()
  }

  @Test func `values in pairs, and the rest`() {
    let numbers = EventSubject<Int, Never>()
    let token = numbers.collect(2).sink { print($0) }
    for number in 1...3 { numbers.send(number) }  // prints [1, 2]
    numbers.send(completion: .finished)  // prints [3]
    #expect(printed == ["[1, 2]", "[3]"])
    token.cancel()
  }

  // MARK: Failures

  @Test func `another publisher takes over after a failure`() {
    let page = EventSubject<String, LoadError>()
    let token = page.catch { _ in ErasedPublisher<String, Never>.just("saved copy") }
      .sink { print($0) }
    page.send("page")  // prints page
    page.send(completion: .failure(.offline))  // prints "saved copy"
    #expect(printed == ["page", "saved copy"])
    token.cancel()
  }

  @Test func `a value in place of the failure`() {
    let count = EventSubject<Int, LoadError>()
    let token = count.replaceError(with: 0).sink { print($0) }
    count.send(3)  // prints 3
    count.send(completion: .failure(.offline))  // prints 0
    #expect(printed == ["3", "0"])
    token.cancel()
  }

  @Test func `another error in place of the failure`() {
    struct Alert: Error { let text: String }
    let page: ErasedPublisher<String, LoadError> = .fail(.offline)
    let token = page.mapError { Alert(text: "We are \($0).") }.sink(
      receiveCompletion: { if case .failure(let alert) = $0 { print(alert.text) } },
      receiveValue: { print($0) })
    // prints "We are offline."
    #expect(printed == ["We are offline."])
    token.cancel()
  }

  // MARK: Several publishers

  @Test func `a pair comes when both publishers have sent a value`() {
    let names = EventSubject<String, Never>()
    let ages = EventSubject<Int, Never>()
    let token = names.combineLatest(ages).sink { print("\($0), \($1)") }
    names.send("Ada")  // prints nothing
    ages.send(36)  // prints Ada, 36
    ages.send(37)  // prints Ada, 37
    #expect(printed == ["Ada, 36", "Ada, 37"])
    token.cancel()
  }

  @Test func `three values come when each publisher has sent one`() {
    let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
    let blue = EventSubject<Int, Never>()
    let token = red.combineLatest(green, blue).sink { print("\($0) \($1) \($2)") }
    blue.send(3)  // prints 1 2 3
    red.value = 9  // prints 9 2 3
    #expect(printed == ["1 2 3", "9 2 3"])
    token.cancel()
  }

  @Test func `three publishers end with one that ends without a value, and with a failure`() {
    let (red, green) = (StateSubject<Int, LoadError>(1), StateSubject<Int, LoadError>(2))
    let empty = EventSubject<Int, LoadError>()
    let failing = EventSubject<Int, LoadError>()
    let tokens = [empty, failing].map { blue in
      red.combineLatest(green, blue) { $0 + $1 + $2 }.sink(
        receiveCompletion: { if case .failure = $0 { print("failure") } else { print("end") } },
        receiveValue: { print($0) })
    }
    empty.send(completion: .finished)
    failing.send(completion: .failure(.offline))
    #expect(printed == ["end", "failure"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `the result for the latest values`() {
    let (width, height) = (StateSubject<Int, Never>(2), StateSubject<Int, Never>(3))
    let token = width.combineLatest(height) { $0 * $1 }.sink { print($0) }  // prints 6
    width.value = 4  // prints 12
    #expect(printed == ["6", "12"])
    token.cancel()
  }

  @Test func `the result for three latest values`() {
    let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
    let blue = EventSubject<Int, Never>()
    let token = red.combineLatest(green, blue) { $0 + $1 + $2 }.sink { print($0) }
    blue.send(3)  // prints 6
    red.value = 9  // prints 14
    #expect(printed == ["6", "14"])
    token.cancel()
  }

  @Test func `merged publishers end when both have ended`() {
    let (taps, keys) = (EventSubject<String, Never>(), EventSubject<String, Never>())
    let token = taps.merge(with: keys)
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    keys.send("key")  // prints key
    taps.send("tap")  // prints tap
    taps.send(completion: .finished)  // prints nothing: more keys may come
    keys.send(completion: .finished)  // prints finished
    #expect(printed == ["key", "tap", "finished"])
    token.cancel()
  }

  @Test func `the publishers of all values send`() {
    let ids = EventSubject<Int, Never>()
    let answers = EventSubject<String, Never>()
    let token = ids.flatMap { id in answers.map { "\(id): \($0)" } }.sink { print($0) }
    ids.send(1)
    ids.send(2)
    answers.send("found")  // prints 1: found, then 2: found
    #expect(printed == ["1: found", "2: found"])
    token.cancel()
  }

  @Test func `only the outer publisher can fail`() {
    let ids = EventSubject<Int, LoadError>()
    let token = ids.flatMap { ErasedPublisher<String, Never>.just("user \($0)") }.sink(
      receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
      receiveValue: { print($0) })
    ids.send(1)  // prints user 1
    ids.send(completion: .failure(.offline))  // prints offline
    #expect(printed == ["user 1", "offline"])
    token.cancel()
  }

  @Test func `only the inner publishers can fail`() {
    let ids = EventSubject<Int, Never>()
    let token = ids.flatMap { _ in ErasedPublisher<String, LoadError>.fail(.offline) }.sink(
      receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
      receiveValue: { print($0) })
    ids.send(1)  // prints offline
    ids.send(2)  // prints nothing: the failure was the end
    #expect(printed == ["offline"])
    token.cancel()
  }

  @Test func `the latest publisher can fail`() {
    let queries = EventSubject<String, Never>()
    let answers = EventSubject<String, LoadError>()
    let found = queries.map { query in answers.map { "\(query): \($0)" } }.switchToLatest()
    let token = found.replaceError(with: "offline").sink { print($0) }
    queries.send("a")
    queries.send("ab")
    answers.send("found")  // prints ab: found
    answers.send(completion: .failure(.offline))  // prints offline
    #expect(printed == ["ab: found", "offline"])
    token.cancel()
  }
}
