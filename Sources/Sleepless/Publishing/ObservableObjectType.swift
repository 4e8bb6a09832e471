/// A class that sends an event before each change of its `@PublishedState` properties.
///
/// ```swift
/// final class Settings: ObservableObjectType {
///   @PublishedState var volume = 5
///   @PublishedState var isMuted = false
/// }
///
/// let settings = Settings()
/// let token = settings.objectWillChange.sink { print("will change from \(settings.volume)") }
/// settings.volume = 6  // prints "will change from 5"
/// ```
///
/// The counterpart of Combine's `ObservableObject` on systems without Combine. A class that
/// declares its own `objectWillChange` must call `send` on it itself.
public protocol ObservableObjectType: AnyObject {
  /// The type of ``objectWillChange``.
  associatedtype ObjectWillChangePublisher: PublisherType = EventSubject<Void, Never>
  where ObjectWillChangePublisher.Failure == Never

  /// Sends an event before a property changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObjectType where ObjectWillChangePublisher == EventSubject<Void, Never> {
  /// Sends an event before each change of a `@PublishedState` property, inherited properties
  /// included.
  ///
  /// An object with such a property has one publisher for its whole life. An object without one has the same
  /// publisher as long as it has subscribers or code keeps it. Call `send` on it before changes of other properties:
  ///
  /// ```swift
  /// final class Volume: ObservableObjectType {
  ///   var level = 5 { willSet { objectWillChange.send() } }
  /// }
  ///
  /// let volume = Volume()
  /// let token = volume.objectWillChange.sink { print("will change from \(volume.level)") }
  /// volume.level = 6  // prints "will change from 5"
  /// ```
  ///
  /// Each call reflects the object to find the properties. An object without such properties has its publisher in
  /// a table of the program. The table keeps it while it has subscribers, even after the object is gone: cancel
  /// their tokens.
  public var objectWillChange: EventSubject<Void, Never> {
    var publisher: EventSubject<Void, Never>?
    var mirror: Mirror? = Mirror(reflecting: self)
    while let level = mirror {
      for case let (_, property as any HasObservedProperty) in level.children {
        // All properties take the publisher stored in the first. So two threads that call this at once get
        // the same one.
        publisher = property.observedProperty.install(publisher ?? EventSubject())
      }
      mirror = level.superclassMirror
    }
    return publisher ?? ObjectPublishers.publisher(of: self)
  }
}

/// A property that announces its changes through its object.
protocol ObservedProperty {
  /// Stores the publisher unless one is stored already; returns the stored one.
  func install(_ publisher: EventSubject<Void, Never>) -> EventSubject<Void, Never>
}

protocol HasObservedProperty {
  var observedProperty: any ObservedProperty { get }
}
