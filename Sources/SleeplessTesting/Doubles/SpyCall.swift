import Sleepless

/// One call that a ``Spy`` has recorded.
///
/// ```swift
/// let save = Spy<String>("save")
/// save("Ada")
/// #expect(save.all.first?.arguments == "Ada")
/// ```
public struct SpyCall<Arguments: Sendable>: Sendable {
  /// The arguments of the call.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let save = Spy<String>("save", time: .of(scheduler))
  /// scheduler.advance(by: .seconds(2))
  /// save("Ada")
  /// #expect(save.all == [SpyCall(arguments: "Ada", time: .seconds(2))])
  /// ```
  public let arguments: Arguments
  /// When it came: in virtual time since zero, in real time since the spy was made.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let save = Spy<String>("save", time: .of(scheduler))
  /// scheduler.advance(by: .seconds(2))
  /// save("Ada")
  /// #expect(save.all == [SpyCall(arguments: "Ada", time: .seconds(2))])
  /// ```
  public let time: Duration

  /// Makes a call, to compare recorded calls with.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let save = Spy<String>("save", time: .of(scheduler))
  /// scheduler.advance(by: .seconds(2))
  /// save("Ada")
  /// #expect(save.all == [SpyCall(arguments: "Ada", time: .seconds(2))])
  /// ```
  public init(arguments: Arguments, time: Duration) {
    self.arguments = arguments
    self.time = time
  }
}

extension SpyCall: Equatable where Arguments: Equatable {}

extension SpyCall: CustomStringConvertible {
  /// The arguments and the time: `"Ada" at 2 s`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let save = Spy<String>("save", time: .of(scheduler))
  /// scheduler.advance(by: .seconds(2))
  /// save("Ada")
  /// print(save.all[0])  // "Ada" at 2 s
  /// print(save)  // "save", and a line for each call
  /// ```
  public var description: String {
    [argumentText(of: arguments), "at \(time.shortDescription)"].compactMap { $0 }
      .joined(separator: " ")
  }
}
