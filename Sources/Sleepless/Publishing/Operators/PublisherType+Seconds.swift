// Combine's schedulers take seconds as a number: `debounce(for: 0.5, ...)`.

extension PublisherType {
  /// Delivers a value when no other value has followed it for a number of seconds.
  ///
  /// The form `debounce(for: .milliseconds(500), scheduler: queue)` does the same.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let query = EventSubject<String, Never>()
  /// let token = query.debounce(for: 0.3, scheduler: scheduler).sink { print($0) }
  /// for text in ["s", "sw", "swift"] { query.send(text) }
  /// scheduler.advance(by: .milliseconds(300))  // prints swift
  /// ```
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
  ///
  /// The form `throttle(for: .milliseconds(500), …)` does the same.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let places = EventSubject<Int, Never>()
  /// let slow = places.throttle(for: 0.5, scheduler: scheduler, latest: false)
  /// let token = slow.sink { print($0) }
  /// places.send(1)
  /// scheduler.advance()  // prints 1
  /// for place in [2, 3] { places.send(place) }
  /// scheduler.advance(by: .milliseconds(500))  // prints 2; with latest: true, it would be 3
  /// ```
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
  ///
  /// The form `delay(for: .milliseconds(500), …)` does the same.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let names = EventSubject<String, Never>()
  /// let token = names.delay(for: 0.5, scheduler: scheduler).sink { print($0) }
  /// names.send("Ada")
  /// scheduler.advance(by: .milliseconds(500))  // prints Ada
  /// ```
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
  ///
  /// The form `timeout(.milliseconds(500), …)` does the same.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let pages = EventSubject<String, Never>()
  /// let token = pages.timeout(0.5, scheduler: scheduler)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// scheduler.advance(by: .milliseconds(500))  // prints finished
  /// ```
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
