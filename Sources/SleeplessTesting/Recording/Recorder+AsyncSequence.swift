import Sleepless

extension Recorder {
  /// Records the elements of an asynchronous sequence from now on, in a task of its own.
  ///
  /// The task takes one element after another without waiting for the test; it ends with the
  /// sequence, or is cancelled with the recorder. An element that the sequence gives after its end
  /// fails the test. On systems with the 6.2 runtime the task has asked for the first element when
  /// this returns.
  ///
  /// ```swift
  /// let (stream, continuation) = AsyncStream<Int>.makeStream()
  /// let numbers = Recorder(stream)
  /// continuation.yield(1)
  /// continuation.finish()
  /// await numbers.expect(1, then: .finished)
  /// ```
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  public convenience init<Sequence: AsyncSequence & SendableMetatype>(
    _ sequence: sending Sequence, _ name: String? = nil, time: RecorderTime = .current,
    allowsUnread: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) where Sequence.Element == Value, Sequence.Failure == Failure {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(core: RecorderCore(name, time: time, allowsUnread: allowsUnread, at: site))
    core.record(sequence) { $0 as? Failure }
  }

  /// Records the elements of an asynchronous sequence that may throw any error.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
  /// let numbers = Recorder(stream)
  /// continuation.yield(1)
  /// continuation.finish(throwing: Trouble.offline)
  /// #expect(try await numbers.next() == 1)
  /// #expect(try await numbers.failure() is Trouble)
  /// ```
  @_disfavoredOverload
  public convenience init<Sequence: AsyncSequence & SendableMetatype>(
    _ sequence: sending Sequence, _ name: String? = nil, time: RecorderTime = .current,
    allowsUnread: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) where Sequence.Element == Value, Failure == any Error {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(core: RecorderCore(name, time: time, allowsUnread: allowsUnread, at: site))
    core.record(sequence) { $0 }
  }
}

extension RecorderCore {
  fileprivate func record<Sequence: AsyncSequence & SendableMetatype>(
    _ sequence: sending Sequence, failure: @escaping @Sendable (any Error) -> Failure?
  ) where Sequence.Element == Value {
    let task = startNow { [self] in
      var iterator = sequence.makeAsyncIterator()
      var hasEnded = false
      while true {
        do {
          guard let value = try await iterator.next() else {
            // Asks once more: no element may follow the end.
            if hasEnded { return }
            hasEnded = true
            if Task.isCancelled { return }
            record(.finished)
            continue
          }
          // An element that was under way when the recorder cancelled is no violation.
          if Task.isCancelled, !hasEnded { return }
          record(value)
          if hasEnded { return }
        } catch {
          // An error thrown again after the end is no new event: `AsyncThrowingStream` does that.
          if Task.isCancelled || hasEnded { return }
          if let error = failure(error) { record(.failure(error)) }
          hasEnded = true
        }
      }
    }
    setSource(cancel: task.cancel)
  }
}

/// Starts a task that, where the runtime can, has run to its first suspension when this returns.
private func startNow(_ work: sending @escaping @isolated(any) () async -> Void) -> Task<
  Void, Never
> {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
    return Task.immediate { await work() }
  }
  return Task { await work() }
}
