/// The publishers of observable objects that have no published property to keep them.
///
/// Swift has no other place to keep something for the life of an object.
struct ObjectPublishers {
  typealias Publisher = EventSubject<Void, Never>

  private struct Entry {
    weak var object: AnyObject?
    var publisher: Publisher
  }

  private static let shared = Locked(ObjectPublishers())

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// With this many entries, the next new one removes those that are unused. It is twice their number after the
  /// last removal, so that removals cost O(1) for each new entry.
  private var limit = 16

  /// Returns the same publisher as long as it is in use during the object's life, and another one in its `deinit`.
  static func publisher(of object: AnyObject) -> Publisher {
    let table = shared.lock()
    let (publisher, replaced) = table.pointee.publisher(of: object)
    shared.unlock()
    // May run code of subscribers: their objects' `deinit`.
    withExtendedLifetime(replaced) {}
    return publisher
  }

  /// Also returns the publisher of an earlier object at this address, which the caller may be the last to release.
  private mutating func publisher(of object: AnyObject) -> (Publisher, replaced: Publisher?) {
    let id = ObjectIdentifier(object)
    let known = entries[id]
    // Another object may have had this address before.
    if let known, known.object === object { return (known.publisher, nil) }
    if entries.count >= limit { removeUnused() }
    let publisher = Publisher()
    entries[id] = Entry(object: object, publisher: publisher)
    return (publisher, known?.publisher)
  }

  /// Removes the publishers that no code has and that nothing has subscribed to: nobody can see that they go.
  /// Their objects may live. They are not looked at, because that would retain them for a moment, and their owners
  /// may be releasing them on other threads.
  private mutating func removeUnused() {
    var unused: [ObjectIdentifier] = []
    // Not over `entries.indices`, which is a copy of the table: with it no publisher is uniquely referenced.
    var index = entries.startIndex
    while index != entries.endIndex {
      // In this order: a publisher that nothing references can get no subscriber while the table is locked.
      if isKnownUniquelyReferenced(&entries.values[index].publisher),
        entries.values[index].publisher.broadcaster.isUnused
      {
        unused.append(entries.keys[index])
      }
      entries.formIndex(after: &index)
    }
    for id in unused { entries[id] = nil }
    limit = max(16, 2 * entries.count)
  }
}
