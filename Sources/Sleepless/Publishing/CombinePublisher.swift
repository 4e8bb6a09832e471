#if canImport(Combine)
  import Combine

  /// A Sleepless publisher in the form that Combine's operators take:
  /// `model.$state.combine.collect(2)`.
  ///
  /// No value is lost: values wait, without limit, until the subscriber demands them.
  public struct CombinePublisher<Output: Sendable, Failure: Error>: Combine.Publisher {
    private let base: ErasedPublisher<Output, Failure>

    init(_ base: ErasedPublisher<Output, Failure>) { self.base = base }

    /// Subscribes; values arrive when the subscriber demands them.
    public func receive<Downstream: Combine.Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let subscription = DemandSubscription(subscriber)
      subscriber.receive(subscription: subscription)
      subscription.start(base)
    }
  }

  extension PublisherType {
    /// This publisher in the form that Combine's operators take.
    ///
    /// ```swift
    /// let numbers = EventSubject<Int, Never>()
    /// let token = numbers.combine.scan(0) { $0 + $1 }.sink { print($0) }
    /// numbers.send(1)  // prints 1
    /// numbers.send(2)  // prints 3
    /// ```
    public var combine: CombinePublisher<Output, Failure> {
      CombinePublisher(eraseToAnyPublisher())
    }
  }

  /// Delivers to a Combine subscriber as many values as it demands, one at a time.
  ///
  /// Unchecked: Combine does not declare that subscribers may be called from any thread. A lock
  /// protects all other state.
  private final class DemandSubscription<Downstream: Combine.Subscriber>: Combine.Subscription,
    @unchecked Sendable
  where Downstream.Input: Sendable {
    private typealias Event = PublisherEvent<Downstream.Input, Downstream.Failure>

    private struct State {
      var waiting = Fifo<Event>()
      var demand = Combine.Subscribers.Demand.none
      var isDelivering = false
      var upstream: SubscriptionToken?

      mutating func next() -> Event? {
        switch waiting.first {
        case .value where demand > .none: demand -= 1
        case .completion: break
        default:
          isDelivering = false
          return nil
        }
        return waiting.popFirst()
      }
    }

    private let downstream: Downstream
    private let state = Locked<State?>(State())

    init(_ downstream: Downstream) { self.downstream = downstream }

    func start(_ publisher: ErasedPublisher<Downstream.Input, Downstream.Failure>) {
      let token = publisher.subscribe(
        receiveCompletion: { self.receive(.completion($0)) },
        receiveValue: { self.receive(.value($0)) })
      let isOver = state.withLock { state in
        state?.upstream = token
        return state == nil
      }
      if isOver { token.cancel() }
    }

    func request(_ demand: Combine.Subscribers.Demand) {
      state.withLock { $0?.demand += demand }
      deliver()
    }

    func cancel() {
      let state = state.withLock { $0.take() }
      state?.upstream?.cancel()
    }

    private func receive(_ event: Event) {
      state.withLock { $0?.waiting.append(event) }
      deliver()
    }

    private func deliver() {
      let startsDelivery = state.withLock { state in
        guard state?.isDelivering == false else { return false }
        state?.isDelivering = true
        return true
      }
      guard startsDelivery else { return }
      while let event = state.withLock({ $0?.next() }) {
        switch event {
        case .value(let value):
          let demand = downstream.receive(value)
          state.withLock { $0?.demand += demand }
        case .completion(let completion):
          cancel()
          downstream.receive(completion: completion.combine)
        }
      }
    }
  }

  extension PublisherCompletion {
    fileprivate var combine: Combine.Subscribers.Completion<Failure> {
      switch self {
      case .finished: .finished
      case .failure(let error): .failure(error)
      }
    }
  }
#endif
