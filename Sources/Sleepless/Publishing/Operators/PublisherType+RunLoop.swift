import Foundation

// `RunLoop` cannot be a `SchedulerType`, because it is not `Sendable`: see `RunLoopScheduler`. `OperationQueue` is one.

extension PublisherType {
  /// Delivers events in their order in a run loop, such as `RunLoop.main`, in its common modes.
  public func receive(
    on runLoop: RunLoop,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    receive(
      on: runLoop.scheduler, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers a value in a run loop when no other value has followed it for a while.
  public func debounce(
    for quiet: Duration, scheduler runLoop: RunLoop,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    debounce(
      for: quiet, scheduler: runLoop.scheduler,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers a value in a run loop when no other value has followed it for a number of seconds.
  @_disfavoredOverload  // so that `.zero` is a `Duration`
  public func debounce(
    for seconds: Double, scheduler runLoop: RunLoop,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    debounce(
      for: seconds, scheduler: runLoop.scheduler,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers at most one value per interval, in a run loop.
  public func throttle(
    for interval: Duration, scheduler runLoop: RunLoop, latest: Bool,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    throttle(
      for: interval, scheduler: runLoop.scheduler, latest: latest,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers at most one value per interval of a number of seconds, in a run loop.
  @_disfavoredOverload
  public func throttle(
    for seconds: Double, scheduler runLoop: RunLoop, latest: Bool,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    throttle(
      for: seconds, scheduler: runLoop.scheduler, latest: latest,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers every event in a run loop after a delay, the end included, in their order.
  public func delay(
    for delay: Duration, scheduler runLoop: RunLoop,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    self.delay(
      for: delay, scheduler: runLoop.scheduler,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers every event in a run loop after a number of seconds, the end included, in their order.
  @_disfavoredOverload
  public func delay(
    for seconds: Double, scheduler runLoop: RunLoop,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    delay(
      for: seconds, scheduler: runLoop.scheduler,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
