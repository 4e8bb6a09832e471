/// The publishers of observable objects that have no published property to keep them.
///
/// Swift has no other place to keep something for the life of an object.
struct ObjectPublishers {
  typealias Publisher = EventSubject<Void, Never>

  private struct Entry {
    weak var object: AnyObject?
    let publisher: Publisher
  }

  private static let shared = Locked(ObjectPublishers())

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// With this many entries, the next new one removes those whose objects are gone. It is twice their number
  /// after the last removal, so that removals cost O(1) for each new entry.
  private var limit = 16

  /// Returns the same publisher each time during the object's life, and another one in its `deinit`.
  static func publisher(of object: AnyObject) -> Publisher {
    let table = shared.lock()
    let (publisher, released) = table.pointee.publisher(of: object)
    shared.unlock()
    withExtendedLifetime(released) {}  // released after unlocking
    return publisher
  }

  /// Also returns the removed publishers, and the objects that were looked at: the caller may be the last to
  /// release them.
  private mutating func publisher(of object: AnyObject) -> (Publisher, released: [Any]) {
    let id = ObjectIdentifier(object)
    let known = entries[id]
    // Another object may have had this address before.
    if let known, known.object === object { return (known.publisher, []) }
    let publisher = Publisher()
    var released: [Any] = known.map { [$0.publisher] } ?? []
    if entries.count >= limit { released += removeUnused() }
    entries[id] = Entry(object: object, publisher: publisher)
    return (publisher, released)
  }

  private mutating func removeUnused() -> [Any] {
    let all = entries.map { (id: $0.key, object: $0.value.object, publisher: $0.value.publisher) }
    for entry in all where entry.object == nil { entries[entry.id] = nil }
    limit = max(16, 2 * entries.count)
    return all
  }
}
