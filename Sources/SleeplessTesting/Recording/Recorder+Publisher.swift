import Sleepless

extension Recorder {
  /// Records the events of a publisher from now on: subscribes at once.
  ///
  /// A publisher with a current value gives it before this returns. Events are recorded on the thread
  /// that sends, before `send` returns; the subscription ends with the recorder. If the publisher
  /// breaks its contract, such as by sending after its end, the test fails when that happens.
  ///
  /// ```swift
  /// let subject = StateSubject<Int, Never>(1)
  /// let numbers = Recorder(subject)  // records the current value, 1
  /// subject.send(2)
  /// numbers.expect(1, 2)
  /// ```
  public convenience init(
    _ publisher: some PublisherType<Value, Failure>, _ name: String? = nil,
    time: RecorderTime = .current, allowsUnread: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(core: RecorderCore(name, time: time, allowsUnread: allowsUnread, at: site))
    core.record(publisher)
  }
}

extension RecorderCore {
  /// Subscribes; `afterValue` runs after each value was recorded, on the thread that sent it.
  func record(
    _ publisher: some PublisherType<Value, Failure>, afterValue: (@Sendable () -> Void)? = nil
  ) {
    let token = publisher.subscribe(
      receiveCompletion: { self.record($0) },
      receiveValue: { value in
        self.record(value)
        afterValue?()
      })
    setSource(cancel: token.cancel)
  }
}
