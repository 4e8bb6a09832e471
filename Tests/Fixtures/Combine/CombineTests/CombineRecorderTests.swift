import Combine
import SleeplessTesting
import Testing
import XCTest

private struct Offline: Error, Equatable {}

@Suite struct CombineRecorderTests {
  @Test func `a subject's values and end are recorded before send returns`() {
    let subject = PassthroughSubject<Int, Offline>()
    let numbers = Recorder(subject)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .failure(Offline()))
    numbers.expect(1, 2, then: .failure(Offline()))
  }

  @Test func `the current value comes first`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let numbers = Recorder(subject)
    subject.send(2)
    subject.send(completion: .finished)
    numbers.expect(1, 2, then: .finished)
  }

  @Test func `a published property is recorded`() {
    final class Model: ObservableObject {
      @Published var state = "initial"
    }
    let model = Model()
    let states = Recorder(model.$state)
    model.state = "loading"
    states.expect("initial", "loading")
  }

  @Test func `virtual time is written beside the events`() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<String, Never>()
    let letters = Recorder(
      subject.debounce(for: .milliseconds(300), scheduler: scheduler.combine()),
      time: .of(scheduler))
    subject.send("a")
    scheduler.advance(by: .milliseconds(200))
    subject.send("b")
    scheduler.advance(by: .seconds(1))
    letters.expect(marbles: "500ms b")
    letters.cancel()
    scheduler.run()
  }

  @Test func `the subscription ends with the recorder`() {
    let subject = PassthroughSubject<Int, Never>()
    let log = Log()
    let source = subject.handleEvents(receiveCancel: { log.append("cancelled") })
    do {
      let numbers = Recorder(source)
      subject.send(1)
      numbers.expect(1)
    }
    #expect(log.values == ["cancelled"])
  }

  @Test func `a publisher that subscribes twice is named`() {
    let line = #line + 2
    let texts = failures {
      let numbers = Recorder(Misbehaving { $0.subscribeTwice() }, "numbers", time: virtual)
      withExtendedLifetime(numbers) {}
    }
    #expect(
      texts == [
        """
        \(line): The source of "numbers" subscribed its recorder a second time.
        Nothing has come so far (now: 0 s).
        A publisher calls a subscriber's receive(subscription:) once. Check for an operator that \
        passes on the subscriptions of several publishers.
        """
      ])
  }

  @Test func `a publisher that goes on after its end is named`() {
    let line = #line + 2
    let texts = failures {
      let numbers = Recorder(Misbehaving { $0.goOn() }, "numbers", time: virtual)
      withExtendedLifetime(numbers) {}
    }
    #expect(
      texts == [
        """
        \(line): The source of "numbers" sent a value, 2, after its end.
        So far (now: 0 s):
          1  0 s  1  (unread)
          2  0 s  finished  (unread)
        Nothing may follow the end. Usually a callback is called twice, or a task goes on sending \
        after another one has finished the source.
        """
      ])
  }

  @Test func `a publisher that sends before its subscription is named, once`() {
    let line = #line + 2
    let texts = failures {
      let numbers = Recorder(Misbehaving { $0.sendFirst() }, "numbers", time: virtual)
      #expect(numbers.all() == [1, 2])
    }
    #expect(
      texts == [
        """
        \(line): The source of "numbers" sent a value, 1, before it had subscribed its recorder.
        Nothing has come so far (now: 0 s).
        A publisher calls a subscriber's receive(subscription:) first, and then sends as many values as that \
        asks for. Many subscribers drop what comes before.
        """
      ])
  }

  @Test func `a publisher that ends without a subscription is named`() {
    let line = #line + 2
    let texts = failures {
      let numbers = Recorder(Misbehaving { $0.endFirst() }, "numbers", time: virtual)
      withExtendedLifetime(numbers) {}
    }
    #expect(
      texts == [
        """
        \(line): The source of "numbers" sent its end, "finished", before it had subscribed its recorder.
        Nothing has come so far (now: 0 s).
        A publisher calls a subscriber's receive(subscription:) first, and then sends as many values as that \
        asks for. Many subscribers drop what comes before.
        """
      ])
  }

  @Test func `what a source sends on demand, or after a cancellation, is no early event`() {
    let numbers = Recorder(Misbehaving { $0.sendOnDemand() }, "numbers", time: virtual)
    numbers.expect(1, then: .finished)
    let subject = PassthroughSubject<Int, Never>()
    let cancelled = Recorder(subject)
    cancelled.cancel()
    subject.send(1)
    cancelled.expect()
  }

  @Test func `W1 the states of a Combine view model are asserted`() async {
    let subject = CurrentValueSubject<String, Never>("initial")
    let log = Log()
    await AssertState().assert(
      when: {
        subject.send("loading")
        subject.send("loaded")
      },
      type: String.self, publisher: subject,
      valuesAssertions: { log.append($0.joined(separator: " ")) })
    #expect(log.values == ["initial loading loaded"])
  }

  @Test func `a late state of a Combine publisher fails`() {
    let texts = failures {
      let subject = PassthroughSubject<String, Never>()
      AssertState().assert(
        when: { subject.send("a") }, type: String.self, publisher: subject, valuesLimit: 1,
        valuesAssertions: { _ in })
      subject.send("b")
      subject.send("c")
      subject.send(completion: .finished)
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("but another one came later") == true)
  }

  private var virtual: RecorderTime { .of(TestScheduler()) }
}

final class CombineAssertStateXCTests: XCTestCase {
  func testTheStatesOfACombineViewModel() {
    let subject = CurrentValueSubject<String, Never>("initial")
    let log = Log()
    let sent = SendableSubject(subject: subject)
    AssertState().assert(
      when: {
        Task.detached {
          sent.subject.send("loading")
          sent.subject.send("loaded")
        }
      },
      type: String.self,
      testCase: self,
      publisher: subject,
      initialAssertions: { XCTAssertEqual(subject.value, "initial") },
      valuesAssertions: { log.append($0.joined(separator: " ")) })
    XCTAssertEqual(log.values, ["initial loading loaded"])
  }
}

/// Unchecked because Combine's subjects have a lock of their own.
private struct SendableSubject: @unchecked Sendable {
  let subject: CurrentValueSubject<String, Never>
}

/// What a publisher must not do.
private struct Misbehaving: Publisher {
  typealias Output = Int
  typealias Failure = Never

  struct ContractViolation {
    let subscriber: AnySubscriber<Int, Never>

    func subscribeTwice() {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(subscription: Subscriptions.empty)
    }

    func sendFirst() {
      _ = subscriber.receive(1)
      _ = subscriber.receive(2)
      subscriber.receive(subscription: Subscriptions.empty)
    }

    func endFirst() { subscriber.receive(completion: .finished) }

    func sendOnDemand() { Just(1).subscribe(subscriber) }

    func goOn() {
      subscriber.receive(subscription: Subscriptions.empty)
      _ = subscriber.receive(1)
      subscriber.receive(completion: .finished)
      _ = subscriber.receive(2)
    }
  }

  let violation: (ContractViolation) -> Void

  init(_ violation: @escaping (ContractViolation) -> Void) { self.violation = violation }

  func receive<Receiver: Subscriber>(subscriber: Receiver)
  where Receiver.Input == Int, Receiver.Failure == Never {
    violation(ContractViolation(subscriber: AnySubscriber(subscriber)))
  }
}

private final class Log: Sendable {
  private let strings = Locked<[String]>([])
  var values: [String] { strings.withLock { $0 } }
  func append(_ string: String) { strings.withLock { $0.append(string) } }
}

/// The failures of code that is to fail: line and text.
func failures(of body: () -> Void) -> [String] {
  let log = Log()
  withKnownIssue(isIntermittent: true) {
    body()
  } matching: { issue in
    let text = issue.comments.map(\.rawValue).joined(separator: "\n")
    log.append("\(issue.sourceLocation?.line ?? 0): \(text)")
    return true
  }
  return log.values
}
