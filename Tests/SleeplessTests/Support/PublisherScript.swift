import Sleepless
import VirtualTime

/// A subject that a script of the model test operates: ours, or the model.
protocol TestedSubject: AnyObject {
  func send(_ value: Int)
  func end(_ failed: Bool)
  /// The current value, if the subject has one.
  var value: Int? { get }
  func subscribe(_ id: Int, in script: PublisherScript)
  func cancel(_ id: Int)
}

/// A short random script of sends, subscriptions and cancellations, also from within callbacks. It
/// is the same on all subjects that behave the same.
///
/// Unchecked because only one thread runs it.
final class PublisherScript: @unchecked Sendable {
  /// The events, in order.
  private(set) var log: [String] = []
  private(set) var operations = 0

  private let subject: any TestedSubject
  private var random: SeededGenerator
  private var latestID = 0
  private var latestValue = 0

  init(seed: UInt64, on subject: any TestedSubject) {
    self.subject = subject
    random = SeededGenerator(seed: seed)
  }

  func run() {
    // One time in sixteen: many subscribers, so that the subject removes gaps in its list.
    if number(below: 16) == 0 {
      for _ in 0..<60 { subscribe() }
      for _ in 0..<80 { cancel() }
    }
    for _ in 0..<24 { act() }
    log.append("\(subject.value ?? -1)")
    // The end, if it has not come, and then calls that must have no effect.
    subject.end(false)
    subscribe()
    send()
    log.append("\(subject.value ?? -1)")
  }

  /// The subject calls this for each event: a value, or nil and whether the end is a failure.
  func receive(_ id: Int, _ value: Int?, failed: Bool = false) {
    operations += 1
    log.append("\(id) \(value.map(String.init) ?? (failed ? "failed" : "finished"))")
    // At most one operation per callback, and less than one send on average, so that scripts end.
    guard number(below: 3) == 0 else { return }
    let isMany = latestValue > 400
    switch number(below: 8) {
    case 0: subject.cancel(id)
    case 1, 2: cancel()
    case 3, 4: subscribe()
    case 5 where number(below: 8) == 0: subject.end(number(below: 2) == 0)
    default: if !isMany { send() }
    }
  }

  private func act() {
    switch number(below: 8) {
    case 0..<3: send()
    case 3..<6: subscribe()
    case 6: cancel()
    default: if number(below: 12) == 0 { subject.end(number(below: 2) == 0) } else { send() }
    }
  }

  private func send() {
    operations += 1
    latestValue += 1
    subject.send(latestValue)
    log.append("= \(subject.value ?? -1)")
  }

  private func subscribe() {
    operations += 1
    latestID += 1
    subject.subscribe(latestID, in: self)
    log.append("+ \(latestID)")
  }

  private func cancel() {
    operations += 1
    // Also subscribers that were cancelled long ago.
    subject.cancel(number(below: latestID + 1))
  }

  private func number(below limit: Int) -> Int { Int(random.next() >> 33) % limit }
}

/// Our own subject.
final class RealSubject: TestedSubject {
  private let events = EventSubject<Int, Oops>()
  private let state: StateSubject<Int, Oops>?
  private var tokens: [Int: SubscriptionToken] = [:]

  init(hasValue: Bool) { state = hasValue ? StateSubject(0) : nil }

  var value: Int? { state?.value }

  func send(_ value: Int) { state.map { $0.send(value) } ?? events.send(value) }

  func end(_ failed: Bool) {
    let completion: PublisherCompletion<Oops> = failed ? .failure(.no) : .finished
    state.map { $0.send(completion: completion) } ?? events.send(completion: completion)
  }

  func subscribe(_ id: Int, in script: PublisherScript) {
    let receiveCompletion: @Sendable (PublisherCompletion<Oops>) -> Void = {
      script.receive(id, nil, failed: $0 == .failure(.no))
    }
    let receiveValue: @Sendable (Int) -> Void = { script.receive(id, $0) }
    tokens[id] =
      state?.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      ?? events.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }

  func cancel(_ id: Int) { tokens[id]?.cancel() }
}
