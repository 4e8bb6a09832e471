extension PublisherType {
  /// Lets all subscribers share one subscription to this publisher.
  ///
  /// The first subscriber makes the subscription, and the last one that leaves ends it. A subscriber after that
  /// makes a new one. A subscriber gets only the values after it came. If the publisher sends its values at once,
  /// as a state sends its current value, the second subscriber does not get them. After the end of this publisher,
  /// a new subscriber gets the same end.
  ///
  /// ```swift
  /// let sizes = EventSubject<Int, Never>()
  /// let texts = sizes.map { size in
  ///   print("counting")
  ///   return "\(size) bytes"
  /// }.share()
  /// let tokens = [texts.sink { print($0) }, texts.sink { print($0) }]
  /// sizes.send(1)  // prints counting once, and "1 bytes" twice
  /// ```
  public func share() -> ErasedPublisher<Output, Failure> {
    typealias Shared = SharedSubscription<Output, Failure>
    let latest = Locked<Shared?>(nil)
    return ErasedPublisher { receiveCompletion, receiveValue in
      let (old, shared) = latest.withLock { latest -> (Shared?, Shared) in
        let old = latest
        if let old, old.enter() { return (old, old) }
        let new = Shared()
        latest = new
        return (old, new)
      }
      let token = shared.subject.subscribe(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      if shared !== old { shared.connect(to: self) }
      return SubscriptionToken { [weak shared] in
        token.cancel()
        shared?.leave()
      }
    }
  }
}

/// The subscription that subscribers share, from the first one to the time when all have left.
///
/// The upstream subscription retains this object; the subscribers' tokens do not.
private final class SharedSubscription<Output: Sendable, Failure: Error>: Sendable {
  private struct State {
    /// Zero when all have left. No subscriber enters after that.
    var subscriberCount = 1
    var upstream: SubscriptionToken?
    /// Whether the publisher has ended. Then subscribers may come for ever, to get the end.
    var isOver = false

    var isOpen: Bool { subscriberCount > 0 && !isOver }
  }

  let subject = EventSubject<Output, Failure>()
  private let state = Locked(State())

  /// Counts a subscriber; returns false if all have left.
  func enter() -> Bool {
    state.withLock { state in
      guard state.isOpen || state.isOver else { return false }
      state.subscriberCount += 1
      return true
    }
  }

  func leave() {
    let token = state.withLock { state in
      state.subscriberCount -= 1
      return state.isOpen ? nil : state.upstream.take()
    }
    token?.cancel()
  }

  func connect(to publisher: some PublisherType<Output, Failure>) {
    let token = publisher.subscribe { completion in
      let token = self.state.withLock { state in
        state.isOver = true
        return state.upstream.take()
      }
      self.subject.send(completion: completion)
      token?.cancel()
    } receiveValue: {
      self.subject.send($0)
    }
    let isOpen = state.withLock { state in
      if state.isOpen { state.upstream = token }
      return state.isOpen
    }
    if !isOpen { token.cancel() }
  }
}
