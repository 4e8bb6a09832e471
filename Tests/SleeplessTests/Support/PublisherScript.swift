import Sleepless
import VirtualTime

/// What an episode of the publishers' model test is played on.
protocol PublisherStage: AnyObject {
  func send(_ value: Int)
  func end(_ failed: Bool)
  /// The current value, where there is one.
  var value: Int? { get }
  func subscribe(_ id: Int, in script: PublisherScript)
  func cancel(_ id: Int)
}

/// A short random play of sends, subscriptions and cancellations, from within callbacks too, the
/// same on every stage that behaves the same.
///
/// Unchecked because one thread plays it.
final class PublisherScript: @unchecked Sendable {
  /// What happened, in order.
  private(set) var log: [String] = []
  private(set) var operations = 0

  private let stage: any PublisherStage
  private var random: SeededGenerator
  private var latestID = 0
  private var latestValue = 0

  init(seed: UInt64, on stage: any PublisherStage) {
    self.stage = stage
    random = SeededGenerator(seed: seed)
  }

  func play() {
    // Now and then a crowd, so that gaps among the subscribers are closed.
    if number(below: 16) == 0 {
      for _ in 0..<60 { subscribe() }
      for _ in 0..<80 { cancel() }
    }
    for _ in 0..<24 { act() }
    log.append("\(stage.value ?? -1)")
    // The end, unless it has come, and nothing after it.
    stage.end(false)
    subscribe()
    send()
    log.append("\(stage.value ?? -1)")
  }

  /// Called by the stage for each event: a value, or nil and whether it is a failure.
  func receive(_ id: Int, _ value: Int?, failed: Bool = false) {
    operations += 1
    log.append("\(id) \(value.map(String.init) ?? (failed ? "failed" : "finished"))")
    // One operation per callback at most, and less than one send in the mean, so that plays end.
    guard number(below: 3) == 0 else { return }
    let isMany = latestValue > 400
    switch number(below: 8) {
    case 0: stage.cancel(id)
    case 1, 2: cancel()
    case 3, 4: subscribe()
    case 5 where number(below: 8) == 0: stage.end(number(below: 2) == 0)
    default: if !isMany { send() }
    }
  }

  private func act() {
    switch number(below: 8) {
    case 0..<3: send()
    case 3..<6: subscribe()
    case 6: cancel()
    default: if number(below: 12) == 0 { stage.end(number(below: 2) == 0) } else { send() }
    }
  }

  private func send() {
    operations += 1
    latestValue += 1
    stage.send(latestValue)
    log.append("= \(stage.value ?? -1)")
  }

  private func subscribe() {
    operations += 1
    latestID += 1
    stage.subscribe(latestID, in: self)
    log.append("+ \(latestID)")
  }

  private func cancel() {
    operations += 1
    // Those who left long ago, too.
    stage.cancel(number(below: latestID + 1))
  }

  private func number(below limit: Int) -> Int { Int(random.next() >> 33) % limit }
}

/// A subject of ours.
final class SubjectStage: PublisherStage {
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
