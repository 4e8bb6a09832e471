import Sleepless

/// One call that a ``Spy`` has seen.
public struct SpyCall<Arguments: Sendable>: Sendable {
  /// What the function was called with.
  public let arguments: Arguments
  /// When: in virtual time since zero, in real time since the making of the spy.
  public let time: Duration

  /// Makes a call to compare others with.
  public init(arguments: Arguments, time: Duration) {
    self.arguments = arguments
    self.time = time
  }
}

extension SpyCall: Equatable where Arguments: Equatable {}

extension SpyCall: CustomStringConvertible {
  /// The arguments and the time: `"Ada" at 2 s`.
  public var description: String {
    [argumentText(of: arguments), "at \(time.shortDescription)"].compactMap { $0 }
      .joined(separator: " ")
  }
}
