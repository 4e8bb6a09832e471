/// A property that publishes its values: read and write it as usual, and subscribe to `$state`.
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
/// A subscriber of `$state` gets the current value at once and then each new value. As with
/// Combine's `@Published`, it gets a new value *before* the property changes: in the callback, the
/// property still has the old value. Events have the order that ``EventSubject`` describes, on any
/// number of threads.
///
/// A write may come from within a callback, or from another thread during a delivery. Its value is
/// delivered afterwards, but the property has it at once: once a write has returned, its thread
/// reads that value or a later one. After the last delivery, the property is the value that every
/// subscriber got last. Each read and each write is atomic; `count += 1` is one read and one write.
///
/// In an ``ObservableObjectType`` a write first sends `objectWillChange`. The wrapper works in
/// classes and actors, not in structures or local variables: copies of a structure would share one
/// publisher. The compiler stores the wrapper in a variable, so a class that
/// belongs to no actor must declare `@unchecked Sendable` to be `Sendable`.
@propertyWrapper
public struct PublishedState<Value: Sendable>: Sendable {
  let storage: Storage

  /// Makes a property with an initial value.
  ///
  /// ```swift
  /// final class Lamp {
  ///   @PublishedState var isOn = false  // calls this initialiser
  /// }
  ///
  /// print(Lamp().isOn)  // prints false
  /// ```
  public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  /// Makes a property with an initial value, for use in an initialiser.
  ///
  /// ```swift
  /// final class Lamp {
  ///   @PublishedState var isOn: Bool
  ///   init(isOn: Bool) { _isOn = PublishedState(initialValue: isOn) }
  /// }
  ///
  /// print(Lamp(isOn: true).isOn)  // prints true
  /// ```
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// Published properties exist only in classes and actors.
  @available(
    *, unavailable, message: "@PublishedState is only available on properties of classes and actors"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable \(newValue)") }
  }

  /// The property's values: the current one, then each new one.
  ///
  /// It has a setter only for `assign(to: &$state)`; setting it changes nothing.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    nonmutating set {}
  }

  /// The property in a class. The compiler calls this subscript.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrapped: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storage: ReferenceWritableKeyPath<EnclosingSelf, PublishedState>
  ) -> Value {
    get { object[keyPath: storage].storage.subject.value }
    set { object[keyPath: storage].storage.set(newValue) }
  }

  /// Publishes the values of a property: the current one, then each new one. It never ends.
  public struct Publisher: PublisherType {
    let storage: Storage

    /// Subscribes two closures; the second gets the current value before this function returns.
    ///
    /// ```swift
    /// final class Lamp { @PublishedState var isOn = false }
    ///
    /// let lamp = Lamp()
    /// let token = lamp.$isOn.subscribe(
    ///   receiveCompletion: { _ in },  // never called
    ///   receiveValue: { print($0) })  // prints false
    /// lamp.isOn = true  // prints true
    /// ```
    public func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Never>) -> Void,
      receiveValue: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
      storage.subject.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }

  /// The state that the property shares with its publishers.
  final class Storage: Sendable {
    let subject: StateSubject<Value, Never>
    private let links = Locked(PropertyLinks())

    init(_ value: Value) { subject = StateSubject(value) }

    func set(_ value: Value) {
      links.withLock { $0.objectWillChange }?.send()
      subject.announce(value)
    }

    /// Writes each value of a publisher, until it ends or this object is released.
    func assign(from publisher: some PublisherType<Value, Never>) {
      let number = links.withLock { $0.assignments.begin() }
      let token = publisher.subscribe(
        receiveCompletion: { [weak self] _ in self?.endAssignment(number) },
        receiveValue: { [weak self] in self?.set($0) })
      _ = links.withLock { $0.assignments.keep(token, number) }
    }

    private func endAssignment(_ number: Int) {
      let token = links.withLock { $0.assignments.end(number) }
      withExtendedLifetime(token) {}  // released after unlocking
    }
  }
}

extension PublishedState.Storage: ObservedProperty {
  func install(_ publisher: EventSubject<Void, Never>) -> EventSubject<Void, Never> {
    links.withLock { links in
      let winner = links.objectWillChange ?? publisher
      links.objectWillChange = winner
      return winner
    }
  }
}

/// What a property is connected with. It is not generic, because each write takes its lock.
private struct PropertyLinks {
  var objectWillChange: EventSubject<Void, Never>?
  /// The subscriptions of `assign(to:)`.
  var assignments = NumberedTokens()
}

extension PublishedState: HasObservedProperty {
  var observedProperty: any ObservedProperty { storage }
}
