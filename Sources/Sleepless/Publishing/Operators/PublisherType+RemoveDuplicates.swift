extension PublisherType where Output: Equatable {
  /// Leaves out each value that equals the one sent on before it.
  public func removeDuplicates() -> ErasedPublisher<Output, Failure> {
    removeDuplicates { $0 == $1 }
  }
}

extension PublisherType {
  /// Leaves out each value that a predicate calls a duplicate of the one sent on before it.
  ///
  /// Each subscriber has a memory of its own.
  public func removeDuplicates(
    by isDuplicate: @escaping @Sendable (_ previous: Output, _ current: Output) -> Bool
  ) -> ErasedPublisher<Output, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let latest = Locked<Output?>(nil)
      return subscribe(receiveCompletion: receiveCompletion) { value in
        // Values come one at a time, so nobody writes between the reading and the writing.
        let previous = latest.withLock { $0 }
        if let previous, isDuplicate(previous, value) { return }
        let released = latest.withLock { latest in
          defer { latest = value }
          return latest
        }
        withExtendedLifetime(released) {}  // released after unlocking
        receiveValue(value)
      }
    }
  }
}
