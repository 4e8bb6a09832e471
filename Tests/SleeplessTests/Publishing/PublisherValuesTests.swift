import Sleepless
import TestSupport
import Testing

@Suite struct PublisherValuesTests {
  let subject = EventSubject<Int, Never>()
  let failing = EventSubject<Int, Oops>()

  private func rest(of iterator: inout PublisherValues<Int>.Iterator) async -> [Int] {
    var values: [Int] = []
    while let value = await iterator.next() { values.append(value) }
    return values
  }

  @Test func `P1 no value is lost once the iterator exists`() async {
    subject.send(0)
    var iterator = subject.values.makeAsyncIterator()
    for number in 1...1_000 { subject.send(number) }
    subject.send(completion: .finished)
    #expect(await rest(of: &iterator) == Array(1...1_000))
  }

  @Test func `P1 two iterators each get every value`() async {
    let values = subject.values
    var first = values.makeAsyncIterator()
    var second = values.makeAsyncIterator()
    subject.send(1)
    subject.send(completion: .finished)
    #expect(await rest(of: &first) == [1])
    #expect(await rest(of: &second) == [1])
  }

  @Test func `P5 a state's values begin with the current one`() async {
    let state = StateSubject<Int, Never>(1)
    var iterator = state.values.makeAsyncIterator()
    state.send(2)
    #expect(await iterator.next() == 1)
    #expect(await iterator.next() == 2)
  }

  @Test func `P3 a failure is thrown after the values, and nothing follows`() async throws {
    var iterator = failing.values.makeAsyncIterator()
    failing.send(1)
    failing.send(completion: .failure(.no))
    #expect(try await iterator.next() == 1)
    await #expect(throws: Oops.no) { _ = try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `in a cancelled task the values that wait come before nil`() async throws {
    var iterator = subject.values.makeAsyncIterator()
    var throwing = failing.values.makeAsyncIterator()
    for number in 1...2 {
      subject.send(number)
      failing.send(number)
    }
    withUnsafeCurrentTask { $0?.cancel() }
    #expect(await rest(of: &iterator) == [1, 2])
    #expect(try await throwing.next() == 1)
    #expect(try await throwing.next() == 2)
    #expect(try await throwing.next() == nil)
  }

  @Test func `P6 the subscription ends with the task, with the loop and with the iterator`() async {
    let state = StateSubject<Int, Never>(1)
    let hasBegun = Event()
    let task = Task {
      for await _ in state.values { hasBegun.happen() }
      return Task.isCancelled
    }
    await hasBegun.wait()
    #expect(state.subscriberCount == 1)
    task.cancel()
    #expect(await task.value)
    #expect(state.subscriberCount == 0)

    for await _ in state.values { break }
    #expect(state.subscriberCount == 0)

    var iterator: PublisherValues<Int>.Iterator? = state.values.makeAsyncIterator()
    #expect(state.subscriberCount == 1)
    _ = await iterator?.next()
    iterator = nil
    #expect(state.subscriberCount == 0)
  }

  @Test func `a loop over a publisher that cannot fail needs no try`() async {
    var values: [Int] = []
    for await value in ErasedPublisher<Int, Never>.just(1).values { values.append(value) }
    #expect(values == [1])
  }
}
