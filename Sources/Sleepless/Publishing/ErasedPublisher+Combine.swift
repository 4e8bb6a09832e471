#if canImport(Combine)
  import Combine

  extension ErasedPublisher {
    /// Makes one of our publishers of one of Combine's.
    ///
    /// Events that Combine delivers on several threads at once, or from within one another, are put
    /// in one order, for each subscriber by itself.
    public init(_ publisher: some Combine.Publisher<Output, Failure>) {
      let publisher = UncheckedPublisher(publisher)
      self.init { receiveCompletion, receiveValue in
        let subscription = OperatorSubscription<PublisherEvent<Output, Failure>, Output, Failure>(
          receiveCompletion: receiveCompletion, receiveValue: receiveValue
        ) { subscription, event in
          switch event {
          case .value(let value): subscription.send(value)
          case .completion(let completion): subscription.send(completion)
          }
        }
        subscription.keep(publisher.subscribe(subscription.receive))
        return subscription.token
      }
    }
  }

  /// Unchecked because Combine's publishers may be subscribed to from any thread but do not say so.
  private struct UncheckedPublisher<Base: Combine.Publisher>: @unchecked Sendable
  where Base.Output: Sendable {
    private let base: Base

    init(_ base: Base) { self.base = base }

    func subscribe(
      _ receive: @escaping @Sendable (PublisherEvent<Base.Output, Base.Failure>) -> Void
    ) -> SubscriptionToken {
      let subscription = UncheckedToken(
        base.sink { completion in
          switch completion {
          case .finished: receive(.completion(.finished))
          case .failure(let error): receive(.completion(.failure(error)))
          }
        } receiveValue: {
          receive(.value($0))
        })
      return SubscriptionToken { subscription.token.cancel() }
    }
  }

  /// Unchecked because Combine's tokens may be used from any thread but do not say so.
  private struct UncheckedToken: @unchecked Sendable {
    let token: AnyCancellable

    init(_ token: AnyCancellable) { self.token = token }
  }
#endif
