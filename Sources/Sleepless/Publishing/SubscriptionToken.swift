/// A subscription: it lasts until the token is cancelled or released, or the publisher ends.
///
/// Keep the token, or the subscription ends at once; collect several in a set with `store(in:)`.
///
/// ```swift
/// var tokens: Set<SubscriptionToken> = []
/// subject.sink { show($0) }.store(in: &tokens)
/// subject.send("shown")
/// tokens = []  // and nothing more is shown
/// ```
///
/// After ``cancel()`` returns, no callback starts, on any thread. One that another thread has begun
/// by then goes on to its end, and a thread that was just about to make its call has begun it.
/// Cancelling twice, or after the end, does nothing. What the subscriber's closures captured is not
/// held by the token, and is released when the subscription ends.
public final class SubscriptionToken: CancellableType {
  private let action: Locked<(@Sendable () -> Void)?>

  /// Makes a token that runs a closure once, when it is cancelled or released, and then lets it go.
  public init(_ cancel: @escaping @Sendable () -> Void) { action = Locked(cancel) }

  /// Makes a token of a subscription that is over.
  init() { action = Locked(nil) }

  deinit { cancel() }

  /// Ends the subscription; from any thread, also from within a callback.
  public func cancel() { action.withLock { $0.take() }?() }
}

extension SubscriptionToken: Hashable {
  /// Whether both are the same token.
  public static func == (a: SubscriptionToken, b: SubscriptionToken) -> Bool { a === b }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SubscriptionToken {
  /// Keeps the token in a set, for as long as that lives.
  public func store(in tokens: inout Set<SubscriptionToken>) { tokens.insert(self) }

  /// Keeps the token in a collection, for as long as that lives.
  public func store(in tokens: inout some RangeReplaceableCollection<SubscriptionToken>) {
    tokens.append(self)
  }
}
