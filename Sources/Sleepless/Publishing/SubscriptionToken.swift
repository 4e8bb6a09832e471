/// A subscription, which lasts until its token is cancelled or released, or the publisher ends.
///
/// Keep the token, or the subscription ends at once. If the compiler warns that a token is never used, do not replace
/// it by `_`: call ``cancel()`` at the end, or `store(in:)`, which collects several tokens in a set.
///
/// ```swift
/// let subject = EventSubject<String, Never>()
/// var tokens: Set<SubscriptionToken> = []
/// subject.sink { print($0) }.store(in: &tokens)
/// subject.send("shown")  // prints shown
/// tokens = []
/// subject.send("not shown")  // prints nothing
/// ```
///
/// After ``cancel()`` returns, no thread starts a callback. A callback that another thread has
/// started by then runs to its end; this includes a thread that is about to make the call.
/// Cancelling twice, or after the end, does nothing. If two threads cancel at once, the second call
/// may return first, and the promise holds from the return of the other one. The token does not
/// hold the captures of the subscriber's closures; the publisher releases them when the
/// subscription ends.
public final class SubscriptionToken: CancellableType {
  private let action: Locked<(@Sendable () -> Void)?>

  /// Makes a token that runs a closure once, when it is cancelled or released, and then releases
  /// the closure.
  ///
  /// ```swift
  /// let token = SubscriptionToken { print("ended") }
  /// token.cancel()  // prints ended
  /// token.cancel()  // prints nothing
  /// ```
  public init(_ cancel: @escaping @Sendable () -> Void) { action = Locked(cancel) }

  /// Makes a token for a subscription that has ended.
  init() { action = Locked(nil) }

  deinit { cancel() }

  /// Ends the subscription; may be called from any thread, and from within a callback.
  ///
  /// While another call for this token is under way, it returns at once. The subscription has ended when that other
  /// call has returned.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// let token = subject.sink { print($0) }
  /// token.cancel()
  /// subject.send(1)  // prints nothing
  /// ```
  public func cancel() { action.withLock { $0.take() }?() }
}

extension SubscriptionToken: Hashable {
  /// Whether both are the same token.
  ///
  /// ```swift
  /// let token = SubscriptionToken {}
  /// let tokens: Set = [token, token, SubscriptionToken {}]
  /// print(tokens.count)  // prints 2
  /// ```
  public static func == (a: SubscriptionToken, b: SubscriptionToken) -> Bool { a === b }

  /// Hashes the token's identity.
  ///
  /// ```swift
  /// let token = SubscriptionToken {}
  /// let tokens: Set = [token, token, SubscriptionToken {}]
  /// print(tokens.count)  // prints 2
  /// ```
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CancellableType {
  /// Keeps work or a subscription in a set. When the set releases it, it is cancelled.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// var tokens: Set<SubscriptionToken> = []
  /// scheduler.schedule(after: .seconds(2)) { print("hidden") }.store(in: &tokens)
  /// tokens = []
  /// scheduler.advance(by: .seconds(2))  // prints nothing
  /// ```
  public func store(in tokens: inout Set<SubscriptionToken>) {
    SubscriptionToken { cancel() }.store(in: &tokens)
  }

  /// Keeps work or a subscription in a collection. When the collection releases it, it is cancelled.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// var tokens: [SubscriptionToken] = []
  /// scheduler.schedule(after: .seconds(2)) { print("hidden") }.store(in: &tokens)
  /// tokens = []
  /// scheduler.advance(by: .seconds(2))  // prints nothing
  /// ```
  public func store(in tokens: inout some RangeReplaceableCollection<SubscriptionToken>) {
    SubscriptionToken { cancel() }.store(in: &tokens)
  }
}

extension SubscriptionToken {
  /// Keeps the token in a set. The subscription ends when the set releases the token.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// var tokens: Set<SubscriptionToken> = []
  /// subject.sink { print($0) }.store(in: &tokens)
  /// subject.send(1)  // prints 1
  /// tokens = []
  /// subject.send(2)  // prints nothing
  /// ```
  public func store(in tokens: inout Set<SubscriptionToken>) { tokens.insert(self) }

  /// Keeps the token in a collection. The subscription ends when the collection releases the token.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// var tokens: [SubscriptionToken] = []
  /// subject.sink { print($0) }.store(in: &tokens)
  /// subject.send(1)  // prints 1
  /// tokens = []
  /// subject.send(2)  // prints nothing
  /// ```
  public func store(in tokens: inout some RangeReplaceableCollection<SubscriptionToken>) {
    tokens.append(self)
  }
}
