import Dispatch

// real time: only on a `DispatchQueue`, in production; a test's scheduler takes the other branch.
//
// GCD's calls for code that holds `any SchedulerType`. They call GCD if the scheduler is a
// `DispatchQueue`. A variable of type `DispatchQueue` still gets GCD's own functions.
//
// Each public function is one of GCD's overloads. The caller's line and the types belong to the
// overload, so the signatures repeat; the bodies share `asyncAfter(_:at:execute:live:)`.

extension SchedulerType {
  /// Schedules work after a delay; a `DispatchQueue` gets GCD's own call instead.
  private func asyncAfter(
    _ delay: @autoclosure () -> Duration, at site: CallSite,
    execute work: @escaping @Sendable () -> Void, live: (DispatchQueue) -> Void
  ) {
    if let queue = self as? DispatchQueue {
      live(queue)
    } else {
      schedule(after: delay(), tolerance: .zero, label: nil, at: site, execute: work)
    }
  }
}

extension SchedulerType {
  /// Runs work after a delay, written as `.now() + 0.3`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.asyncAfter(deadline: .now() + 0.3) { print("shown") }
  /// scheduler.advance(by: .milliseconds(299))  // prints nothing
  /// scheduler.advance(by: .milliseconds(1))  // prints shown
  /// ```
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    deadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    asyncAfter(deadline.delay, at: site, execute: { work() }) { queue in
      queue.asyncAfter(deadline: .now() + deadline.delay.timeInterval, execute: work)
    }
  }

  /// Runs work at an instant of the real clock.
  ///
  /// A virtual scheduler waits for the time left until that instant. It rounds that time up to a round number, by at
  /// most one hundredth of it and at most 1 ms. `.now() + 0.3`, written in the call, is exact.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let deadline = DispatchTime.now() + 0.3
  /// scheduler.asyncAfter(deadline: deadline) { print("shown") }
  /// scheduler.advance(by: .milliseconds(300))  // prints shown
  /// ```
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    deadline: some DispatchTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    asyncAfter(deadline.dispatchTime.delay, at: site, execute: { work() }) { queue in
      queue.asyncAfter(deadline: deadline.dispatchTime, execute: work)
    }
  }

  /// Runs work after a delay on the wall clock, written as `.now() + 0.3`.
  ///
  /// A virtual scheduler has one time only, so there this is the same as `deadline:`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.asyncAfter(wallDeadline: .now() + 0.3) { print("shown") }
  /// scheduler.advance(by: .milliseconds(299))  // prints nothing
  /// scheduler.advance(by: .milliseconds(1))  // prints shown
  /// ```
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    asyncAfter(wallDeadline.delay, at: site, execute: { work() }) { queue in
      queue.asyncAfter(wallDeadline: .now() + wallDeadline.delay.timeInterval, execute: work)
    }
  }

  /// Runs work at an instant of the wall clock.
  ///
  /// A virtual scheduler rounds the time left as it does for an instant of the real clock.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let deadline = DispatchWallTime.now() + 0.3
  /// scheduler.asyncAfter(wallDeadline: deadline) { print("shown") }
  /// scheduler.run()  // prints shown
  /// ```
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: some DispatchWallTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    asyncAfter(wallDeadline.dispatchWallTime.delay, at: site, execute: { work() }) { queue in
      queue.asyncAfter(wallDeadline: wallDeadline.dispatchWallTime, execute: work)
    }
  }
}

// MARK: Work items

extension SchedulerType {
  /// Runs a work item, unless it is cancelled; its `wait` and `notify` work as usual.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let save = DispatchWorkItem { print("saved") }
  /// scheduler.async(execute: save)
  /// save.cancel()
  /// scheduler.advance()  // prints nothing
  /// ```
  @_disfavoredOverload
  public func async(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    if let queue = self as? DispatchQueue {
      queue.async(execute: item)
    } else {
      let item = UncheckedItem(item)
      async(fileID: fileID, filePath: filePath, line: line, column: column) { item.perform() }
    }
  }

  /// Runs a work item after a delay, written as `.now() + 0.3`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let hide = DispatchWorkItem { print("hidden") }
  /// scheduler.asyncAfter(deadline: .now() + 0.3, execute: hide)
  /// scheduler.advance(by: .milliseconds(300))  // prints hidden
  /// ```
  @_disfavoredOverload
  public func asyncAfter(
    deadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let item = UncheckedItem(item)
    asyncAfter(deadline.delay, at: site, execute: { item.perform() }) { queue in
      queue.asyncAfter(deadline: .now() + deadline.delay.timeInterval, execute: item.item)
    }
  }

  /// Runs a work item at an instant of the real clock.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let deadline = DispatchTime.now() + 0.3
  /// scheduler.asyncAfter(deadline: deadline, execute: DispatchWorkItem { print("hidden") })
  /// scheduler.advance(by: .milliseconds(300))  // prints hidden
  /// ```
  @_disfavoredOverload
  public func asyncAfter(
    deadline: some DispatchTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let item = UncheckedItem(item)
    asyncAfter(deadline.dispatchTime.delay, at: site, execute: { item.perform() }) { queue in
      queue.asyncAfter(deadline: deadline.dispatchTime, execute: item.item)
    }
  }

  /// Runs a work item after a delay on the wall clock, written as `.now() + 0.3`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let hide = DispatchWorkItem { print("hidden") }
  /// scheduler.asyncAfter(wallDeadline: .now() + 0.3, execute: hide)
  /// scheduler.advance(by: .milliseconds(300))  // prints hidden
  /// ```
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let item = UncheckedItem(item)
    asyncAfter(wallDeadline.delay, at: site, execute: { item.perform() }) { queue in
      queue.asyncAfter(wallDeadline: .now() + wallDeadline.delay.timeInterval, execute: item.item)
    }
  }

  /// Runs a work item at an instant of the wall clock.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let deadline = DispatchWallTime.now() + 0.3
  /// scheduler.asyncAfter(wallDeadline: deadline, execute: DispatchWorkItem { print("hidden") })
  /// scheduler.run()  // prints hidden
  /// ```
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: some DispatchWallTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let item = UncheckedItem(item)
    asyncAfter(wallDeadline.dispatchWallTime.delay, at: site, execute: { item.perform() }) {
      queue in
      queue.asyncAfter(wallDeadline: wallDeadline.dispatchWallTime, execute: item.item)
    }
  }
}

/// Unchecked: any thread may use a GCD work item, but GCD does not declare it.
private final class UncheckedItem: @unchecked Sendable {
  let item: DispatchWorkItem

  init(_ item: DispatchWorkItem) { self.item = item }

  func perform() { item.perform() }
}

// MARK: Groups

extension DispatchGroup {
  /// Runs work on a queue when every task has left the group.
  ///
  /// A queue in virtual time checks the group before each piece of work and after the last one. On
  /// other queues a GCD thread enqueues the work.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let downloads = DispatchGroup()
  /// downloads.enter()
  /// downloads.notify(queue: scheduler) { print("all done") }
  /// scheduler.advance()  // prints nothing: a download goes on
  /// downloads.leave()
  /// scheduler.advance()  // prints "all done"
  /// ```
  @preconcurrency
  @_disfavoredOverload
  public func notify(
    queue: any DispatchQueueType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    if let queue = queue as? DispatchQueue {
      notify(queue: queue, execute: work)
    } else if let queue = queue as? any VirtualQueue {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      queue.async(whenEmpty: self, at: site, execute: work)
    } else {
      notify(queue: .global()) { queue.async { work() } }
    }
  }
}
