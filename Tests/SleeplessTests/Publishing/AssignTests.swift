import Sleepless
import Testing
import TestSupport

@Suite struct AssignTests {
  // Not final, because the compiler accesses the properties of such a class in another way. Unchecked because the
  // compiler stores the wrappers in variables; no code assigns to them.
  private class Model: ObservableObjectType, @unchecked Sendable {
    @PublishedState var query = ""
    @PublishedState var count = 0
  }

  private final class Label: Sendable {
    private let written = Locked("")
    let log = Log<String>()
    var text: String {
      get { written.withLock { $0 } }
      set {
        written.withLock { $0 = newValue }
        log.append(newValue)
      }
    }
  }

  private let model = Model()
  private let numbers = EventSubject<Int, Never>()
  private let log = Log<String>()

  // MARK: assign(to: &$property)

  @Test func `P1 assign writes each value, in order, to the property's subscribers`() {
    let tokens = [model.$count.sink(into: log, as: "a"), model.$count.sink(into: log, as: "b")]
    numbers.assign(to: &model.$count)
    for number in [1, 2] { numbers.send(number) }
    #expect(log.values == ["a0", "b0", "a1", "b1", "a2", "b2"])
    #expect(model.count == 2)
    withExtendedLifetime(tokens) {}
  }

  @Test func `P5 assign writes the current value of a state before it returns`() {
    model.query = "abc"
    model.$query.map(\.count).assign(to: &model.$count)
    #expect(model.count == 3)
  }

  @Test func `a value that is assigned is announced like any write`() {
    var events: [String] = []
    let tokens = [
      model.objectWillChange.sink { [model] in events.append("will change \(model.count)") },
      model.$count.sink { [model] in events.append("\($0) instead of \(model.count)") },
    ]
    numbers.assign(to: &model.$count)
    numbers.send(1)
    #expect(events == ["0 instead of 0", "will change 0", "1 instead of 0"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `a callback may use the property while assign writes the first value`() {
    let token = model.$count.sink { [model, log] value in
      log.append("\(value) \(model.count) \(model.query)")
      if value == 1 { model.count = 2 }
      if value == 2 { StateSubject<Int, Never>(3).assign(to: &model.$count) }
    }
    StateSubject<Int, Never>(1).assign(to: &model.$count)
    #expect(log.values == ["0 0 ", "1 0 ", "2 2 ", "3 3 "])
    #expect(model.count == 3)
    token.cancel()
  }

  @Test func `P2 a value that is sent while assign writes another is written after it`() {
    numbers.assign(to: &model.$count)
    let token = model.$count.sink { [numbers, log] value in
      if value == 1 { numbers.send(2) }
      log.append("\(value)")
    }
    let later = model.$count.sink(into: log, as: "later")
    numbers.send(1)
    #expect(log.values == ["0", "later0", "1", "later1", "2", "later2"])
    withExtendedLifetime((token, later)) {}
  }

  @Test func `two publishers can be assigned to one property`() {
    let others = EventSubject<Int, Never>()
    numbers.assign(to: &model.$count)
    others.assign(to: &model.$count)
    numbers.send(1)
    others.send(2)
    numbers.send(completion: .finished)
    numbers.send(3)
    #expect(model.count == 2)
    others.send(4)
    #expect(model.count == 4)
  }

  @Test func `P3 the property keeps its value when the publisher ends, and can be written`() {
    numbers.assign(to: &model.$count)
    numbers.send(1)
    numbers.send(completion: .finished)
    #expect(model.count == 1)
    model.count = 5
    #expect(model.count == 5)
  }

  @Test func `P6 assign keeps no object alive, and ends with the object`() {
    var released: Model? = Model()
    weak let weakModel = released
    numbers.assign(to: &released!.$count)
    released?.$query.map(\.count).assign(to: &released!.$count)
    #expect(numbers.subscriberCount == 1)
    released = nil
    #expect(weakModel == nil)
    #expect(numbers.subscriberCount == 0)
    numbers.send(1)
  }

  /// Ends at once or later, and logs the release of its token.
  private struct Source: PublisherType {
    let base: ErasedPublisher<Int, Never>
    let log: Log<String>

    func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Never>) -> Void,
      receiveValue: @escaping @Sendable (Int) -> Void
    ) -> SubscriptionToken {
      let token = base.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      return SubscriptionToken { [log] in
        token.cancel()
        log.append("released")
      }
    }
  }

  @Test func `P6 a subscription of assign is released when its publisher ends`() {
    Source(base: .just(1), log: log).assign(to: &model.$count)
    #expect(log.values == ["released"])
    Source(base: numbers.eraseToAnyPublisher(), log: log).assign(to: &model.$count)
    #expect(log.values == ["released"])
    numbers.send(completion: .finished)
    #expect(log.values == ["released", "released"])
    #expect(model.count == 1)
  }

  @Test func `P6 ends, new subscriptions and the release of the object may come at once`() async {
    for _ in 0..<rounds(200) {
      let subject = EventSubject<Int, Never>()
      let shared = Locked<Model?>(Model())
      await withTaskGroup { group in
        group.addTask { await onThread { subject.send(completion: .finished) } }
        group.addTask { await onThread { for number in 0..<10 { subject.send(number) } } }
        group.addTask {
          await onThread {
            for _ in 0..<10 {
              if let model = shared.withLock({ $0 }) { subject.assign(to: &model.$count) }
            }
          }
        }
        group.addTask { await onThread { _ = shared.withLock { $0.take() } } }
      }
      #expect(subject.subscriberCount == 0)
    }
  }

  // MARK: assign(to:on:)

  @Test func `assign to a key path writes each value, and a published property is published`() {
    let label = Label()
    let tokens = [
      numbers.map { "\($0)" }.assign(to: \.text, on: label),
      numbers.assign(to: \.count, on: model), model.$count.sink(into: log, as: ""),
    ]
    numbers.send(1)
    numbers.send(2)
    #expect(label.log.values == ["1", "2"])
    #expect(log.values == ["0", "1", "2"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `P4 assign to a key path writes nothing after the token is cancelled or released`() {
    let label = Label()
    var token: SubscriptionToken? = numbers.map { "\($0)" }.assign(to: \.text, on: label)
    numbers.send(1)
    token?.cancel()
    numbers.send(2)
    token = numbers.map { "\($0)" }.assign(to: \.text, on: label)
    token = nil
    numbers.send(3)
    #expect(label.log.values == ["1"])
    #expect(numbers.subscriberCount == 0)
  }

  @Test(arguments: [false, true])
  func `P6 assign to a key path keeps the object until the end or the cancellation`(isEnd: Bool) {
    var label: Label? = Label()
    weak let weakLabel = label
    let token = numbers.map { "\($0)" }.assign(to: \.text, on: label!)
    label = nil
    #expect(weakLabel != nil)
    if isEnd { numbers.send(completion: .finished) } else { token.cancel() }
    #expect(weakLabel == nil)
    withExtendedLifetime(token) {}
  }

  @MainActor private final class MainModel {
    @PublishedState var query = ""
    @PublishedState private(set) var isValid = false
    var text = ""
    private var tokens: Set<SubscriptionToken> = []

    init() {
      $query.map { $0.count > 2 }.assign(to: &$isValid)
      $query.assign(to: \.text, on: self).store(in: &tokens)
    }
  }

  @MainActor @Test func `a class on the main actor assigns to its own properties`() {
    let model = MainModel()
    model.query = "Ada"
    #expect(model.isValid)
    #expect(model.text == "Ada")
  }
}
