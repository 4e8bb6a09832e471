import Sleepless

/// An object that must be released, and the call that watches it.
struct WatchedObject: Sendable {
  let reference: ObjectReference
  let type: AnyClass
  let site: CallSite

  /// The name in failures.
  var name: String { String(describing: type) }

  /// What a check found in a value that it was given.
  enum Candidate {
    case object(AnyObject)
    /// It cannot be watched, for this reason.
    case nothing(String)

    /// The objects in the values of one call, each once: the values themselves, the values of optionals, and the
    /// elements of arrays, sets and tuples, nested ones too.
    static func all(in values: [Any?], of call: String) -> [Self] {
      guard !values.isEmpty else {
        return [
          .nothing(
            """
            \(call) was called without an object, so it watches nothing.
            Give it the objects that must be released.
            """)
        ]
      }
      var candidates = Candidates(call: call)
      for value in values { candidates.add(value as Any) }
      return candidates.all
    }
  }
}

/// The objects in the values of one call of a check.
private struct Candidates {
  let call: String
  private(set) var all: [WatchedObject.Candidate] = []
  private var known: Set<ObjectIdentifier> = []

  init(call: String) { self.call = call }

  /// `place` is where the value stands in the one that the check was given: `[1].0`.
  mutating func add(_ value: Any, at place: String = "") {
    let type = Swift.type(of: value)
    // `as AnyObject` puts a value into a box of its own.
    if type is AnyClass, !"\(type)".hasSuffix("SwiftValue") { return add(value as AnyObject) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      guard let wrapped = mirror.children.first else { return refuseNil(at: place) }
      add(wrapped.value, at: place)
    case .collection, .set:
      guard !mirror.children.isEmpty else { return refuseEmpty(type, at: place) }
      for (index, element) in mirror.children.enumerated() {
        add(element.value, at: "\(place)[\(index)]")
      }
    case .tuple where !mirror.children.isEmpty:
      for element in mirror.children {
        // The label of an element without a name is its number, after a point.
        let label = element.label ?? ""
        add(element.value, at: place + (label.hasPrefix(".") ? label : ".\(label)"))
      }
    default: refuse(value, at: place)
    }
  }

  private mutating func add(_ object: AnyObject) {
    if known.insert(ObjectIdentifier(object)).inserted { all.append(.object(object)) }
  }

  private mutating func refuseNil(at place: String) {
    refuse(
      "nil", at: place,
      because: """
        .
        Call it while the object is there: before it is set to nil, and with the object itself rather than a \
        weak reference to it.
        """)
  }

  private mutating func refuseEmpty(_ type: Any.Type, at place: String) {
    refuse(
      "an empty \(type)", at: place,
      because: """
        .
        Call it while the objects are there.
        """)
  }

  private mutating func refuse(_ value: Any, at place: String) {
    refuse(
      "a value of type \(name(of: value))", at: place,
      because: """
        : values are copied, and only objects are deallocated.
        Give it the object that the value holds.
        """)
  }

  private mutating func refuse(_ what: String, at place: String, because reason: String) {
    let text =
      place.isEmpty
      ? "\(what), so it watches nothing" : "\(what) at \(place), so it watches nothing there"
    all.append(.nothing("\(call) was given \(text)\(reason)"))
  }

  private func name(of value: Any) -> String {
    let type = "\(Swift.type(of: value))"
    guard type.hasSuffix("SwiftValue") else { return type }
    // What is in the box, where a mirror shows it.
    let boxed = Mirror(reflecting: value).children.first { $0.label == "value" }?.value ?? value
    return "\(Swift.type(of: boxed)), in a box"
  }
}
