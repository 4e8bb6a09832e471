#if canImport(Combine)
  import Combine

  /// One of our publishers as Combine's operators take it: `model.$state.combine.collect(2)`.
  ///
  /// No value is lost: those that a subscriber has not asked for wait, without limit, until it does.
  public struct CombinePublisher<Output: Sendable, Failure: Error>: Combine.Publisher {
    private let base: ErasedPublisher<Output, Failure>

    init(_ base: ErasedPublisher<Output, Failure>) { self.base = base }

    /// Subscribes; values come when the subscriber asks for them.
    public func receive<Downstream: Combine.Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let subscription = Demanding(subscriber)
      subscriber.receive(subscription: subscription)
      subscription.start(base)
    }
  }

  extension PublisherType {
    /// This publisher as Combine's operators take it.
    public var combine: CombinePublisher<Output, Failure> {
      CombinePublisher(eraseToAnyPublisher())
    }
  }

  /// Hands on to a subscriber of Combine's as many values as that asked for, one at a time.
  ///
  /// Unchecked because Combine's subscribers do not say that they may be called from any thread; the
  /// rest is under a lock.
  private final class Demanding<Downstream: Combine.Subscriber>: Combine.Subscription,
    @unchecked Sendable
  where Downstream.Input: Sendable {
    private typealias Event = PublisherEvent<Downstream.Input, Downstream.Failure>

    private struct Life {
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
    private let resources = Locked<Life?>(Life())

    init(_ downstream: Downstream) { self.downstream = downstream }

    func start(_ publisher: ErasedPublisher<Downstream.Input, Downstream.Failure>) {
      let token = publisher.subscribe(
        receiveCompletion: { self.receive(.completion($0)) },
        receiveValue: { self.receive(.value($0)) })
      let isOver = resources.withLock { resources in
        resources?.upstream = token
        return resources == nil
      }
      if isOver { token.cancel() }
    }

    func request(_ demand: Combine.Subscribers.Demand) {
      resources.withLock { $0?.demand += demand }
      deliver()
    }

    func cancel() {
      let resources = resources.withLock { $0.take() }
      resources?.upstream?.cancel()
    }

    private func receive(_ event: Event) {
      resources.withLock { $0?.waiting.append(event) }
      deliver()
    }

    private func deliver() {
      let isMine = resources.withLock { resources in
        guard resources?.isDelivering == false else { return false }
        resources?.isDelivering = true
        return true
      }
      guard isMine else { return }
      while let event = resources.withLock({ $0?.next() }) {
        switch event {
        case .value(let value):
          let demand = downstream.receive(value)
          resources.withLock { $0?.demand += demand }
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
