import Dispatch

// real time: a live queue is GCD's own, in production; a test's scheduler takes the other branch.
//
// GCD's own call shapes. A variable of type `DispatchQueue` still gets GCD's own functions; these
// serve code that holds `any SchedulerType`, and hand over to GCD when it holds a `DispatchQueue`.

extension SchedulerType {
  /// Runs work when GCD would: after a delay written as `.now() + 0.3`.
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    deadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(deadline: .now() + deadline.delay.timeInterval, execute: work)
    } else {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      schedule(after: deadline.delay, tolerance: .zero, label: nil, at: site) { work() }
    }
  }

  /// Runs work when GCD would: at an instant of the real clock.
  ///
  /// In virtual time it runs after what is left until that instant, rounded to the roundest
  /// duration within a hundredth and 1 ms. Written as `.now() + 0.3` in the call it is exact.
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    deadline: some DispatchTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(deadline: deadline.dispatchTime, execute: work)
    } else {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      schedule(after: deadline.dispatchTime.delay, tolerance: .zero, label: nil, at: site) {
        work()
      }
    }
  }

  /// Runs work when GCD would: after a delay by the wall clock, written as `.now() + 0.3`.
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(wallDeadline: .now() + wallDeadline.delay.timeInterval, execute: work)
    } else {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      schedule(after: wallDeadline.delay, tolerance: .zero, label: nil, at: site) { work() }
    }
  }

  /// Runs work when GCD would: at an instant of the wall clock.
  @preconcurrency
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: some DispatchWallTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(wallDeadline: wallDeadline.dispatchWallTime, execute: work)
    } else {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      let delay = wallDeadline.dispatchWallTime.delay
      schedule(after: delay, tolerance: .zero, label: nil, at: site) { work() }
    }
  }
}

// MARK: Work items

extension SchedulerType {
  /// Runs a work item; a cancelled one is skipped, and its `wait` and `notify` work as ever.
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

  /// Runs a work item after a delay written as `.now() + 0.3`.
  @_disfavoredOverload
  public func asyncAfter(
    deadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(deadline: .now() + deadline.delay.timeInterval, execute: item)
    } else {
      let item = UncheckedItem(item)
      asyncAfter(
        deadline: deadline, fileID: fileID, filePath: filePath, line: line, column: column
      ) { item.perform() }
    }
  }

  /// Runs a work item at an instant of the real clock.
  @_disfavoredOverload
  public func asyncAfter(
    deadline: some DispatchTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(deadline: deadline.dispatchTime, execute: item)
    } else {
      let item = UncheckedItem(item)
      asyncAfter(
        deadline: deadline, fileID: fileID, filePath: filePath, line: line, column: column
      ) { item.perform() }
    }
  }

  /// Runs a work item after a delay by the wall clock, written as `.now() + 0.3`.
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: SchedulerDeadline,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(wallDeadline: .now() + wallDeadline.delay.timeInterval, execute: item)
    } else {
      let item = UncheckedItem(item)
      asyncAfter(
        wallDeadline: wallDeadline, fileID: fileID, filePath: filePath, line: line, column: column
      ) { item.perform() }
    }
  }

  /// Runs a work item at an instant of the wall clock.
  @_disfavoredOverload
  public func asyncAfter(
    wallDeadline: some DispatchWallTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, execute item: DispatchWorkItem
  ) {
    if let queue = self as? DispatchQueue {
      queue.asyncAfter(wallDeadline: wallDeadline.dispatchWallTime, execute: item)
    } else {
      let item = UncheckedItem(item)
      asyncAfter(
        wallDeadline: wallDeadline, fileID: fileID, filePath: filePath, line: line, column: column
      ) { item.perform() }
    }
  }
}

/// Unchecked because GCD's work items may be used from any thread but do not say so.
private final class UncheckedItem: @unchecked Sendable {
  private let item: DispatchWorkItem

  init(_ item: DispatchWorkItem) { self.item = item }

  func perform() { item.perform() }
}

// MARK: Groups

extension DispatchGroup {
  /// Runs work on a queue when every task of the group has left it.
  ///
  /// A queue in virtual time looks at the group before each piece of work that it runs and when it
  /// has run the last; other queues get the work from one of GCD's threads.
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
