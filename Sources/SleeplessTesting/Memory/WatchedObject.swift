import Sleepless

/// An object that must be released, and the call that watches it.
struct WatchedObject: Sendable {
  let reference: ObjectReference
  let type: AnyClass
  let site: CallSite

  /// The name in failures.
  var name: String { String(describing: type) }

  /// The value given to a check.
  enum Candidate {
    case object(AnyObject)
    /// It cannot be watched, for this reason.
    case nothing(String)

    init(_ value: Any?, in call: String) {
      guard let value else {
        self = .nothing(
          """
          \(call) was given nil, so it watches nothing.
          Call it while the object is there: before it is set to nil, and with the object itself \
          rather than a weak reference to it.
          """)
        return
      }
      let type = Swift.type(of: value)
      // `as AnyObject` puts a value into a box of its own.
      guard type is AnyClass, !"\(type)".hasSuffix("SwiftValue") else {
        self = .nothing(
          """
          \(call) was given a value of type \(Self.name(of: value)), so it watches nothing: values are \
          copied, and only objects are deallocated.
          Give it the object that the value holds.
          """)
        return
      }
      self = .object(value as AnyObject)
    }

    private static func name(of value: Any) -> String {
      let type = "\(Swift.type(of: value))"
      guard type.hasSuffix("SwiftValue") else { return type }
      return "\(Swift.type(of: (value as AnyObject) as Any)), a value in a box"
    }
  }
}
