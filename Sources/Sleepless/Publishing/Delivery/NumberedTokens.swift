/// The tokens of subscriptions or of scheduled work that go on, by number.
///
/// A subscription or work has its number before its token, because it may end during the call that returns the token.
/// It is not generic: in a debug build, generic code looks up each type in the runtime.
struct NumberedTokens: Sendable {
  /// The token is nil while the call that returns it is under way.
  private var tokens: [Int: (any CancellableType)?] = [:]
  private var latest = 0

  var isEmpty: Bool { tokens.isEmpty }

  /// Returns the number for the token that the coming call returns.
  mutating func begin() -> Int {
    latest += 1
    tokens.updateValue(nil, forKey: latest)
    return latest
  }

  /// Whether it goes on.
  func contains(_ number: Int) -> Bool { tokens[number] != nil }

  /// Keeps a token; returns false if its subscription or work has ended in the meantime.
  mutating func keep(_ token: any CancellableType, _ number: Int) -> Bool {
    guard contains(number) else { return false }
    tokens.updateValue(token, forKey: number)
    return true
  }

  /// Removes a number, and returns its token, to be released after unlocking; nil if it was removed before.
  mutating func end(_ number: Int) -> (any CancellableType)?? { tokens.removeValue(forKey: number) }

  /// Removes all numbers, and returns the tokens.
  mutating func endAll() -> [any CancellableType] {
    defer { tokens = [:] }
    return tokens.values.compactMap(\.self)
  }
}
