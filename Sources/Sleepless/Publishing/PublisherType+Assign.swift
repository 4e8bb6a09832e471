extension PublisherType where Failure == Never {
  /// Writes each value to a `@PublishedState` property, and needs no token.
  ///
  /// ```swift
  /// final class Search {
  ///   @PublishedState var query = ""
  ///   @PublishedState var isValid = false
  ///   init() { $query.map { $0.count > 2 }.assign(to: &$isValid) }
  /// }
  ///
  /// let search = Search()
  /// search.query = "Ada"
  /// print(search.isValid)  // prints true
  /// ```
  ///
  /// Each write is like a write by the sending code: it sends `objectWillChange` and the value, on the sending
  /// thread. Use `receive(on:)` for the properties of an actor. The subscription lasts until this publisher ends
  /// or the property is released with its object, and it does not keep the object alive. A second call adds a
  /// second publisher. A publisher that depends on the same property, without `removeDuplicates()` or the like
  /// between them, writes for ever.
  public func assign(to published: inout PublishedState<Output>.Publisher) {
    published.storage.assign(from: self)
  }

  /// Writes each value to a property of an object, on the sending thread.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  ///
  /// let label = Label()
  /// let names = StateSubject<String, Never>("Ada")
  /// let token = names.assign(to: \.text, on: label)
  /// print(label.text)  // prints Ada
  /// ```
  ///
  /// The object lives until the token is cancelled or released, or the publisher ends. Called on an actor, it
  /// stops the program if a value comes elsewhere, as `sink` does.
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root,
    isolation: isolated (any Actor)? = #isolation
  ) -> SubscriptionToken {
    sink(isolation: isolation) { object[keyPath: keyPath] = $0 }
  }
}
