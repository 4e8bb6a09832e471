/// A property that publishes: reading and writing it is as ever, and `$state` tells its subscribers.
///
/// ```swift
/// final class Lamp {
///   @PublishedState var isOn = false
/// }
///
/// let lamp = Lamp()
/// let token = lamp.$isOn.sink { print($0) }  // prints false
/// lamp.isOn = true  // prints true
/// ```
///
/// A subscriber of `$state` gets the current value at once and then each new one. As with Combine's
/// `@Published`, it gets a new value *before* the property changes: read in the callback, the
/// property is still the old one. The order is that of ``EventSubject``, for any number of threads.
///
/// A write from within a callback, or on another thread while a value is being delivered, is
/// delivered afterwards, and the property shows it at once: what a thread has written it can read.
/// When all is delivered, the property is the last value that every subscriber got. Each read and
/// each write is atomic; `count += 1` is one of each.
///
/// In an ``ObservableObjectType`` a write first sends `objectWillChange`. The wrapper works in
/// classes and actors, and not in structures and local variables: copies of a structure would
/// publish together. Swift keeps it in a variable, so a class outside of all actors that is to be
/// `Sendable` must say `@unchecked`.
@propertyWrapper
public struct PublishedState<Value: Sendable>: Sendable {
  let storage: Storage

  /// Makes a property with an initial value.
  public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  /// Makes a property with an initial value, for use in an initialiser.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// Only classes and actors have published properties.
  @available(
    *, unavailable, message: "@PublishedState is only available on properties of classes and actors"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable \(newValue)") }
  }

  /// The property's values: the current one, then each new one.
  public var projectedValue: Publisher { Publisher(storage: storage) }

  /// The property in a class; the compiler calls it.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrapped: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storage: ReferenceWritableKeyPath<EnclosingSelf, PublishedState>
  ) -> Value {
    get { object[keyPath: storage].storage.subject.value }
    set { object[keyPath: storage].storage.set(newValue) }
  }

  /// Publishes a property's values: the current one, then each new one. It never ends.
  public struct Publisher: PublisherType {
    let storage: Storage

    /// Subscribes two closures; the second gets the current value before this returns.
    public func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Never>) -> Void,
      receiveValue: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
      storage.subject.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }

  /// What the property and its publishers share.
  final class Storage: Sendable {
    let subject: StateSubject<Value, Never>
    private let objectWillChange = Locked<EventSubject<Void, Never>?>(nil)

    init(_ value: Value) { subject = StateSubject(value) }

    func set(_ value: Value) {
      objectWillChange.withLock { $0 }?.send()
      subject.announce(value)
    }
  }
}

extension PublishedState.Storage: ObservedProperty {
  func install(_ publisher: EventSubject<Void, Never>) -> EventSubject<Void, Never> {
    objectWillChange.withLock { installed in
      let winner = installed ?? publisher
      installed = winner
      return winner
    }
  }
}

extension PublishedState: HasObservedProperty {
  var observedProperty: any ObservedProperty { storage }
}
