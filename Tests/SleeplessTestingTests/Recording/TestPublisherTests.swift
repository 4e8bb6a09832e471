import SleeplessTesting
import Testing
import TestSupport

@Suite struct TestPublisherTests {
  @Test func `without allowed violations a test publisher keeps the rules`() throws {
    let publisher = TestPublisher<Int, Trouble>()
    let numbers = Recorder(publisher)
    publisher.send(1)
    publisher.send(completion: .finished)
    let line = #line + 2
    let warnings = failures {
      for number in 2...3 { publisher.send(number) }
    }
    #expect(
      warnings == [
        Failure(FailureText.aValueAfterTheEnd, line: line)
      ])
    publisher.send(completion: .failure(.offline))
    numbers.expect(1, then: .finished)
    numbers.expectNone()
  }

  @Test func `a value before any subscription is a warning, one after a cancellation is none`() {
    let publisher = TestPublisher<Int, Never>()
    let line = #line + 1
    let warnings = failures { publisher.send(1) }
    #expect(
      warnings == [
        Failure(
          """
          The value 1 was sent before any subscription, so nothing gets it.
          Let the code under test subscribe first.
          """, line: line)
      ])
    let other = TestPublisher<Int, Never>()
    other.sink { _ in }.cancel()
    other.send(2)
  }

  @Test func `a value without a subscriber is lost, though events after the end are allowed`() {
    let publisher = TestPublisher<Int, Never>(allowing: [.eventsAfterEnd])
    publisher.send(completion: .finished)
    let line = #line + 1
    let warnings = failures { publisher.send(1) }
    #expect(
      warnings == [
        Failure(
          """
          The value 1 was sent before any subscription, so nothing gets it.
          Let the code under test subscribe first.
          """, line: line)
      ])
  }

  @Test func `a subscriber that has cancelled gets no event after the end`() {
    let publisher = TestPublisher<Int, Never>(allowing: [.eventsAfterEnd])
    let numbers = Recorder<Int, Never>("numbers")
    publisher.subscribe(receiveCompletion: { _ in }, receiveValue: { numbers.record($0) }).cancel()
    publisher.send(completion: .finished)
    publisher.send(1)
    numbers.expectNone()
  }

  @Test func `a test publisher counts subscriptions and cancellations`() {
    let publisher = TestPublisher<Int, Never>()
    #expect(publisher.subscriptionCount == 0)
    let first = publisher.sink { _ in }
    let second = publisher.sink { _ in }
    #expect(publisher.subscriptionCount == 2)
    #expect(publisher.subscriberCount == 2)
    first.cancel()
    first.cancel()
    #expect(publisher.cancellationCount == 1)
    #expect(publisher.subscriberCount == 1)
    publisher.send(completion: .finished)
    #expect(publisher.subscriberCount == 0)
    second.cancel()
    #expect(publisher.cancellationCount == 1)
    #expect(publisher.subscriptionCount == 2)
  }

  @Test func `a cancelled subscriber gets nothing, unless that is allowed`() {
    for violations in [[], [.eventsAfterCancel]]
      as [Set<TestPublisher<Int, Never>.ContractViolation>]
    {
      let publisher = TestPublisher<Int, Never>(allowing: violations)
      let log = Log<Int>()
      let token = publisher.sink { log.append($0) }
      publisher.send(1)
      token.cancel()
      publisher.send(2)
      #expect(log.values == (violations.isEmpty ? [1] : [1, 2]))
    }
  }

  @Test func `after the end no subscriber gets an event, unless that is allowed`() {
    for violations in [[], [.eventsAfterEnd]]
      as [Set<TestPublisher<Int, Trouble>.ContractViolation>]
    {
      let publisher = TestPublisher<Int, Trouble>(allowing: violations)
      let log = Log<String>()
      let token = publisher.sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      }
      publisher.send(completion: .finished)
      let warnings = failures { publisher.send(1) }
      #expect(warnings.count == (violations.isEmpty ? 1 : 0))
      publisher.send(completion: .failure(.offline))
      #expect(log.values.count == (violations.isEmpty ? 1 : 3))
      token.cancel()
    }
  }

  @Test func `a recorder names a publisher that ends twice`() {
    let failures = failures {
      let publisher = TestPublisher<Int, Trouble>(allowing: [.eventsAfterEnd])
      let numbers = Recorder(publisher, "numbers", allowsUnread: true)
      publisher.send(completion: .finished)
      publisher.send(completion: .finished)
      publisher.send(1)
      withExtendedLifetime(numbers) {}
    }
    #expect(
      failures.map(\.text.firstLine) == [
        "The source of \"numbers\" sent another end, \"finished\", after its end."
      ])
  }
}
