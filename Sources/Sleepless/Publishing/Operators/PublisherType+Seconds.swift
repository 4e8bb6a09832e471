// Combine's schedulers take seconds as a number: `debounce(for: 0.5, ...)`.

extension PublisherType {
  /// Delivers a value when no other value has followed it for a number of seconds.
  ///
  /// The form `debounce(for: .milliseconds(500), scheduler: queue)` does the same.
  @_disfavoredOverload  // so that `.zero` is a `Duration`
  public func debounce(
    for seconds: Double, scheduler: any SchedulerType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    debounce(
      for: Duration(clampingSeconds: seconds), scheduler: scheduler,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers at most one value per interval of a number of seconds.
  @_disfavoredOverload
  public func throttle(
    for seconds: Double, scheduler: any SchedulerType, latest: Bool,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    throttle(
      for: Duration(clampingSeconds: seconds), scheduler: scheduler, latest: latest,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers every event after a number of seconds, the end included, in their order.
  @_disfavoredOverload
  public func delay(
    for seconds: Double, scheduler: any SchedulerType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    delay(
      for: Duration(clampingSeconds: seconds), scheduler: scheduler,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Ends the publisher when no value comes for a number of seconds.
  @_disfavoredOverload
  public func timeout(
    _ seconds: Double, scheduler: any SchedulerType,
    customError: (@Sendable () -> Failure)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    timeout(
      Duration(clampingSeconds: seconds), scheduler: scheduler, customError: customError,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
