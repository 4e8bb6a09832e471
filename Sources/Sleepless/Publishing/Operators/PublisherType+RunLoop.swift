import Foundation

// `RunLoop` cannot be a `SchedulerType`, because it is not `Sendable`: see `RunLoopScheduler`. `OperationQueue` is one.

extension PublisherType {
  /// Delivers events in their order in a run loop, such as `RunLoop.main`, in its common modes.
  ///
  /// Nothing is delivered while no code runs the run loop. On Linux no code runs `RunLoop.main` in a Swift Testing
  /// test, unless the test has the trait `.simulated`.
  ///
  /// ```swift
  /// let names = EventSubject<String, Never>()
  /// let token = names.receive(on: RunLoop.main).sink { print($0) }
  /// names.send("Ada")
  /// print("sent")  // prints sent, and in the next iteration of the run loop, Ada
  /// ```
  public func receive(
    on runLoop: RunLoop,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    receive(
      on: runLoop.scheduler, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Delivers a value in a run loop when no other value has followed it for a while.
  ///
  /// The form that takes a scheduler does the same with `runLoop.scheduler`, in the common modes.
  ///
  /// ```swift
  /// let query = EventSubject<String, Never>()
  /// let quiet = query.debounce(for: .milliseconds(300), scheduler: RunLoop.main)
  /// let token = quiet.sink { print($0) }
  /// for text in ["s", "sw", "swift"] { query.send(text) }
  /// try await Task.sleep(for: .milliseconds(400))  // prints swift
  /// ```
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
  ///
  /// ```swift
  /// let query = EventSubject<String, Never>()
  /// let token = query.debounce(for: 0.3, scheduler: RunLoop.main).sink { print($0) }
  /// for text in ["s", "sw", "swift"] { query.send(text) }
  /// try await Task.sleep(for: .milliseconds(400))  // prints swift
  /// ```
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
  ///
  /// The form that takes a scheduler does the same with `runLoop.scheduler`, in the common modes.
  ///
  /// ```swift
  /// let places = EventSubject<Int, Never>()
  /// let slow = places.throttle(for: .seconds(1), scheduler: RunLoop.main, latest: true)
  /// let token = slow.sink { print($0) }
  /// places.send(1)
  /// try await Task.sleep(for: .milliseconds(500))  // prints 1
  /// for place in [2, 3] { places.send(place) }
  /// try await Task.sleep(for: .seconds(1))  // prints 3
  /// ```
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
  ///
  /// ```swift
  /// let places = EventSubject<Int, Never>()
  /// let slow = places.throttle(for: 0.5, scheduler: RunLoop.main, latest: true)
  /// let token = slow.sink { print($0) }
  /// places.send(1)
  /// try await Task.sleep(for: .milliseconds(250))  // prints 1
  /// for place in [2, 3] { places.send(place) }
  /// try await Task.sleep(for: .seconds(1))  // prints 3
  /// ```
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
  ///
  /// The form that takes a scheduler does the same with `runLoop.scheduler`, in the common modes.
  ///
  /// ```swift
  /// let names = EventSubject<String, Never>()
  /// let token = names.delay(for: .seconds(2), scheduler: RunLoop.main).sink { print($0) }
  /// names.send("Ada")
  /// try await Task.sleep(for: .seconds(1))  // prints nothing
  /// try await Task.sleep(for: .seconds(2))  // prints Ada
  /// ```
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
  ///
  /// ```swift
  /// let names = EventSubject<String, Never>()
  /// let token = names.delay(for: 0.5, scheduler: RunLoop.main).sink { print($0) }
  /// names.send("Ada")
  /// try await Task.sleep(for: .seconds(1))  // prints Ada
  /// ```
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
