#if canImport(Combine)
  import Combine

  extension ErasedPublisher {
    /// Makes a Sleepless publisher from a Combine publisher.
    ///
    /// Combine may deliver events on several threads at once, or send one during the delivery of
    /// another. Each subscriber gets them one at a time.
    ///
    /// ```swift
    /// let subject = Combine.PassthroughSubject<Int, Never>()
    /// let numbers = ErasedPublisher(subject)
    /// let token = numbers.sink { print($0) }
    /// subject.send(1)  // prints 1
    /// ```
    public init(_ publisher: some Combine.Publisher<Output, Failure>) {
      let publisher = UncheckedPublisher(publisher)
      self.init { receiveCompletion, receiveValue in
        let subscription = OperatorSubscription<PublisherEvent<Output, Failure>, Output, Failure>(
          receiveCompletion: receiveCompletion, receiveValue: receiveValue
        ) { operation, event in
          switch event {
          case .value(let value): operation.send(value)
          case .completion(let completion): operation.send(completion)
          }
        }
        subscription.keep(publisher.subscribe(subscription.receive))
        return subscription.token
      }
    }
  }

  /// Unchecked: any thread may subscribe to a Combine publisher, but Combine does not declare the type
  /// `Sendable`.
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

  /// Unchecked: any thread may use a Combine token, but Combine does not declare the type `Sendable`.
  private struct UncheckedToken: @unchecked Sendable {
    let token: AnyCancellable

    init(_ token: AnyCancellable) { self.token = token }
  }
#endif
