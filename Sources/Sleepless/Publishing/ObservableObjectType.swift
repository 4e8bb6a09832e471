/// A class that tells when one of its `@PublishedState` properties is about to change.
///
/// ```swift
/// final class Settings: ObservableObjectType {
///   @PublishedState var volume = 5
///   @PublishedState var isMuted = false
/// }
///
/// let settings = Settings()
/// let token = settings.objectWillChange.sink { print("will change from \(settings.volume)") }
/// settings.volume = 6  // prints will change from 5
/// ```
///
/// Combine's `ObservableObject` where there is no Combine. A class that declares its own
/// `objectWillChange` sends it itself.
public protocol ObservableObjectType: AnyObject {
  /// What ``objectWillChange`` is.
  associatedtype ObjectWillChangePublisher: PublisherType = EventSubject<Void, Never>
  where ObjectWillChangePublisher.Failure == Never

  /// Sends before a property changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObjectType where ObjectWillChangePublisher == EventSubject<Void, Never> {
  /// Sends before each change of a `@PublishedState` property, those of superclasses included.
  ///
  /// The same publisher each time, but for a class that has no such property: then a new one, which
  /// nobody sends to. Finding the properties costs a reflection of the object.
  public var objectWillChange: EventSubject<Void, Never> {
    var publisher = EventSubject<Void, Never>()
    var mirror: Mirror? = Mirror(reflecting: self)
    while let level = mirror {
      for case let (_, property as any HasObservedProperty) in level.children {
        // The first property decides, so that two threads that ask at once agree.
        publisher = property.observedProperty.install(publisher)
      }
      mirror = level.superclassMirror
    }
    return publisher
  }
}

/// A property whose changes its object announces.
protocol ObservedProperty {
  /// Keeps the publisher unless there is one already; returns the one to use.
  func install(_ publisher: EventSubject<Void, Never>) -> EventSubject<Void, Never>
}

protocol HasObservedProperty {
  var observedProperty: any ObservedProperty { get }
}
