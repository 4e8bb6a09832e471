extension PublisherType {
  /// Drops the first values, and then sends each value. Each subscriber has its own count.
  ///
  /// A negative count stops the program at the caller's line.
  ///
  /// ```swift
  /// let volume = StateSubject<Int, Never>(5)
  /// let token = volume.dropFirst().sink { print($0) }  // prints nothing
  /// volume.value = 6  // prints 6
  /// ```
  public func dropFirst(
    _ count: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    guard count >= 0 else {
      misuse(
        "The number of values to drop must be at least 0 (was \(count)).",
        at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    return ErasedPublisher { receiveCompletion, receiveValue in
      let remaining = Locked(count)
      return subscribe(receiveCompletion: receiveCompletion) { value in
        let isDropped = remaining.withLock { remaining in
          guard remaining > 0 else { return false }
          remaining -= 1
          return true
        }
        if !isDropped { receiveValue(value) }
      }
    }
  }
}
