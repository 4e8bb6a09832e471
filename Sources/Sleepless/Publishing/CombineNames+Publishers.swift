#if !canImport(Combine) && CombineNames
  // Combine's names of publishers that code makes with an initializer. Each is one of our publishers under that
  // name: see `CombineNames.swift`.

  /// Combine's `Just`: sends one value and finishes.
  public struct Just<Output: Sendable>: PublisherType {
    private let output: Output

    /// Makes a publisher of one value.
    ///
    /// ```swift
    /// let token = Just("Ada").sink { print($0) }  // prints Ada
    /// ```
    public init(_ output: Output) { self.output = output }

    /// Sends the value and the end before it returns.
    ///
    /// ```swift
    /// let token = Just("Ada").subscribe(
    ///   receiveCompletion: { print($0) },
    ///   receiveValue: { print($0) })  // prints Ada, then finished
    /// ```
    public func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Never>) -> Void,
      receiveValue: @escaping @Sendable (Output) -> Void
    ) -> SubscriptionToken {
      ErasedPublisher.just(output)
        .subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }

  /// Combine's `Empty`: sends no value, and finishes or never ends.
  public struct Empty<Output: Sendable, Failure: Error>: PublisherType {
    private let completeImmediately: Bool

    /// Makes a publisher that finishes, or that never ends.
    ///
    /// ```swift
    /// let ends = Empty<Int, Never>().sink(
    ///   receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints finished
    /// let lasts = Empty<Int, Never>(completeImmediately: false).sink(
    ///   receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints nothing
    /// ```
    public init(
      completeImmediately: Bool = true, outputType: Output.Type = Output.self,
      failureType: Failure.Type = Failure.self
    ) {
      self.completeImmediately = completeImmediately
    }

    /// Sends the end, if there is one, before it returns.
    ///
    /// ```swift
    /// let token = Empty<Int, Never>().subscribe(
    ///   receiveCompletion: { print($0) },
    ///   receiveValue: { print($0) })  // prints finished
    /// ```
    public func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
      receiveValue: @escaping @Sendable (Output) -> Void
    ) -> SubscriptionToken {
      (completeImmediately ? ErasedPublisher.empty : .never)
        .subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }

  /// Combine's `Fail`: sends one error.
  public struct Fail<Output: Sendable, Failure: Error>: PublisherType {
    private let error: Failure

    /// Makes a publisher of one error.
    ///
    /// The example's error is `enum LoadError: Error { case offline }`.
    ///
    /// ```swift
    /// let token = Fail<String, LoadError>(error: .offline)
    ///   .replaceError(with: "no connection")
    ///   .sink { print($0) }  // prints "no connection"
    /// ```
    public init(error: Failure) { self.error = error }

    /// Makes a publisher of one error, and names the type of the values.
    ///
    /// The example's error is `enum LoadError: Error { case offline }`.
    ///
    /// ```swift
    /// let token = Fail(outputType: String.self, failure: LoadError.offline)
    ///   .replaceError(with: "no connection")
    ///   .sink { print($0) }  // prints "no connection"
    /// ```
    public init(outputType: Output.Type, failure: Failure) { error = failure }

    /// Sends the error before it returns.
    ///
    /// The example's error is `enum LoadError: Error { case offline }`.
    ///
    /// ```swift
    /// let token = Fail<String, LoadError>(error: .offline).subscribe(
    ///   receiveCompletion: { if case .failure(let error) = $0 { print(error) } },
    ///   receiveValue: { print($0) })  // prints offline
    /// ```
    public func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
      receiveValue: @escaping @Sendable (Output) -> Void
    ) -> SubscriptionToken {
      ErasedPublisher.fail(error)
        .subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }

  extension Result where Success: Sendable {
    /// A publisher that sends the value and finishes, or sends the error, before `subscribe` returns.
    ///
    /// The example's error is `enum LoadError: Error { case offline }`.
    ///
    /// ```swift
    /// let answer = Result<Int, LoadError>.success(42)
    /// let token = answer.publisher.replaceError(with: 0).sink { print($0) }  // prints 42
    /// ```
    public var publisher: ErasedPublisher<Success, Failure> {
      switch self {
      case .success(let value): .just(value)
      case .failure(let error): .fail(error)
      }
    }
  }

  /// The namespace of Combine's `Publishers.CombineLatest`, `CombineLatest3` and `Merge`.
  public enum Publishers {
    /// What `a.combineLatest(b)` sends.
    public struct CombineLatest<A: PublisherType, B: PublisherType>: PublisherType
    where A.Failure == B.Failure {
      private let publisher: ErasedPublisher<(A.Output, B.Output), A.Failure>

      /// Combines two publishers.
      ///
      /// ```swift
      /// let (width, height) = (StateSubject<Int, Never>(2), StateSubject<Int, Never>(3))
      /// let token = Publishers.CombineLatest(width, height).sink { print($0 * $1) }  // prints 6
      /// width.value = 4  // prints 12
      /// ```
      public init(_ a: A, _ b: B) { publisher = a.combineLatest(b) }

      /// Subscribes to both publishers.
      ///
      /// ```swift
      /// let (width, height) = (StateSubject<Int, Never>(2), StateSubject<Int, Never>(3))
      /// let token = Publishers.CombineLatest(width, height).subscribe(
      ///   receiveCompletion: { print($0) },
      ///   receiveValue: { print($0 * $1) })  // prints 6
      /// width.value = 4  // prints 12
      /// ```
      public func subscribe(
        receiveCompletion: @escaping @Sendable (PublisherCompletion<A.Failure>) -> Void,
        receiveValue: @escaping @Sendable ((A.Output, B.Output)) -> Void
      ) -> SubscriptionToken {
        publisher.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      }
    }

    /// What `a.combineLatest(b, c)` sends.
    public struct CombineLatest3<A: PublisherType, B: PublisherType, C: PublisherType>:
      PublisherType
    where A.Failure == B.Failure, B.Failure == C.Failure {
      private let publisher: ErasedPublisher<(A.Output, B.Output, C.Output), A.Failure>

      /// Combines three publishers.
      ///
      /// ```swift
      /// let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
      /// let blue = EventSubject<Int, Never>()
      /// let token = Publishers.CombineLatest3(red, green, blue).sink { print($0 + $1 + $2) }
      /// blue.send(3)  // prints 6, the first result: now all have sent a value
      /// ```
      public init(_ a: A, _ b: B, _ c: C) { publisher = a.combineLatest(b, c) }

      /// Subscribes to the three publishers.
      ///
      /// ```swift
      /// let (red, green) = (StateSubject<Int, Never>(1), StateSubject<Int, Never>(2))
      /// let blue = EventSubject<Int, Never>()
      /// let token = Publishers.CombineLatest3(red, green, blue).subscribe(
      ///   receiveCompletion: { print($0) },
      ///   receiveValue: { print($0 + $1 + $2) })
      /// blue.send(3)  // prints 6, the first result: now all have sent a value
      /// ```
      public func subscribe(
        receiveCompletion: @escaping @Sendable (PublisherCompletion<A.Failure>) -> Void,
        receiveValue: @escaping @Sendable ((A.Output, B.Output, C.Output)) -> Void
      ) -> SubscriptionToken {
        publisher.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      }
    }

    /// What `a.merge(with: b)` sends.
    public struct Merge<A: PublisherType, B: PublisherType>: PublisherType
    where A.Output == B.Output, A.Failure == B.Failure {
      private let publisher: ErasedPublisher<A.Output, A.Failure>

      /// Merges two publishers.
      ///
      /// ```swift
      /// let (taps, keys) = (EventSubject<String, Never>(), EventSubject<String, Never>())
      /// let token = Publishers.Merge(taps, keys).sink { print($0) }
      /// keys.send("key")  // prints key
      /// taps.send("tap")  // prints tap
      /// ```
      public init(_ a: A, _ b: B) { publisher = a.merge(with: b) }

      /// Subscribes to both publishers.
      ///
      /// ```swift
      /// let (taps, keys) = (EventSubject<String, Never>(), EventSubject<String, Never>())
      /// let token = Publishers.Merge(taps, keys).subscribe(
      ///   receiveCompletion: { print($0) },
      ///   receiveValue: { print($0) })
      /// keys.send("key")  // prints key
      /// taps.send("tap")  // prints tap
      /// ```
      public func subscribe(
        receiveCompletion: @escaping @Sendable (PublisherCompletion<A.Failure>) -> Void,
        receiveValue: @escaping @Sendable (A.Output) -> Void
      ) -> SubscriptionToken {
        publisher.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      }
    }
  }
#endif
