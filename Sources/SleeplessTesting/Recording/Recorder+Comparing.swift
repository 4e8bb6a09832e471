import Sleepless

extension Recorder where Value: Equatable {
  /// Expects the unread events to be exactly these values and this end; reads them.
  ///
  /// A difference fails the test at the caller's line, with both sides in a table. It does not throw, so
  /// the test goes on. Without `then` the source must not have ended.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// numbers.record(1)
  /// numbers.record(2)
  /// numbers.expect(1, 2)  // expect(1) would fail: 2 is unread, too
  /// numbers.record(.finished)
  /// numbers.expect(then: .finished)
  /// ```
  public func expect(
    _ values: Value..., then ending: PublisherCompletion<Failure>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core.expect(values, ending, .notWaited, at: site)
  }

  /// Expects exactly these values and this end next, waits for them, and reads them.
  ///
  /// It returns when that many events have come, or at the first one that differs. One event too many
  /// that has come by then is a difference, too; events that come afterwards remain unread. A
  /// difference fails the test at the caller's line, with both sides in a table.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { for number in 1...2 { numbers.record(number) } }
  /// await numbers.expect(1, 2)  // a 3 that has come by then would be a difference
  /// numbers.record(3)
  /// await numbers.expect(3)
  /// ```
  public func expect(
    _ values: Value..., then ending: PublisherCompletion<Failure>? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    await core.expectToCome(values, ending, isolation: isolation, at: site)
  }

  /// Expects the unread events to be exactly the values of a list and this end; reads them.
  ///
  /// Otherwise like the form with the values themselves.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...100 { numbers.record(number) }
  /// numbers.expect(all: Array(1...100))
  /// ```
  public func expect(
    all values: [Value], then ending: PublisherCompletion<Failure>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core.expect(values, ending, .notWaited, at: site)
  }

  /// Expects exactly the values of a list and this end next, waits for them, and reads them.
  ///
  /// Otherwise like the form with the values themselves.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { for number in 1...100 { numbers.record(number) } }
  /// await numbers.expect(all: Array(1...100))
  /// ```
  public func expect(
    all values: [Value], then ending: PublisherCompletion<Failure>? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    await core.expectToCome(values, ending, isolation: isolation, at: site)
  }
}

extension RecorderCore where Value: Equatable {
  func expectToCome(
    _ values: [Value], _ ending: PublisherCompletion<Failure>?, isolation: isolated (any Actor)?,
    at site: CallSite
  ) async {
    let count = values.count + (ending == nil ? 0 : 1)
    var end = WaitEnd.arrived
    var came = 0
    while came < count, end == .arrived {
      end = await waitForEvents(came + 1, isolation: isolation)
      recordPendingChange()
      let last = came
      came = state.withLock { $0.unreadCount }
      // After an event that differs there is no reason to wait for more.
      if came <= last || differs(from: values, ending, in: last..<min(came, count)) { break }
    }
    expect(values, ending, end, at: site)
  }

  private func differs(
    from values: [Value], _ ending: PublisherCompletion<Failure>?, in range: Range<Int>
  ) -> Bool {
    let came = state.withLock { state in
      let count = state.history.count
      return copy(min(state.readCount + range.lowerBound, count)..<count, from: state)
    }
    let cameEnding = completion
    // Not under the lock, because `==` may be the user's.
    return range.contains { index in
      if index - range.lowerBound < came.count {
        return index >= values.count || came[index - range.lowerBound] != values[index]
      }
      return index != values.count || !same(cameEnding, ending)
    }
  }

  func expect(
    _ values: [Value], _ ending: PublisherCompletion<Failure>?, _ end: WaitEnd, at site: CallSite
  ) {
    guard !isOccupied(end) else { return fail(occupiedText("expect()"), at: site) }
    recordPendingChange()
    let isOver = state.withLock { $0.isOver }
    guard !isOver else {
      return fail(
        "expect() was called on \(name) after its test ended. Make a recorder in each test.",
        at: site)
    }
    let actual = takeAll()
    let actualEnding = actual.ending
    // Not under the lock, because `==` may be the user's.
    guard actual.values != values || !same(actualEnding, ending) else { return }
    let count = values.count
    let actualCount = actual.values.count
    let times = timesOfEvents(in: actual.range)
    let comparison = Comparison(
      expected: count + (ending == nil ? 0 : 1),
      actual: actualCount + (actualEnding == nil ? 0 : 1),
      areEqual: { i, j in
        if i < count, j < actualCount { return values[i] == actual.values[j] }
        return i >= count && j >= actualCount && same(ending, actualEnding)
      },
      expectedEvent: { i in
        ComparedEvent(
          time: nil, text: i < count ? eventText(of: values[i]) : ending!.text)
      },
      actualEvent: { j in
        ComparedEvent(
          time: times?[j],
          text: j < actualCount ? eventText(of: actual.values[j]) : actualEnding!.text)
      })
    guard let comparison else { return }
    fail(comparisonText(comparison, end), at: site)
  }

  /// The times of values and of the end, if they matter: in virtual time, when they differ.
  func timesOfEvents(in range: Range<Int>) -> [String]? {
    guard recordingClock.isVirtual else { return nil }
    let (times, ending) = state.withLock { state in
      (state.history.times(in: range), state.endingTime)
    }
    let all = times + (ending.map { [$0] } ?? [])
    guard let first = all.first, all.contains(where: { $0 != first }) else { return nil }
    return all.map(recordingClock.text)
  }
}

extension RecorderCore {
  /// Reads everything there is.
  func takeAll() -> (range: Range<Int>, values: [Value], ending: PublisherCompletion<Failure>?) {
    let (range, values, hasEnding) = state.withLock { state -> (Range<Int>, [Value], Bool) in
      let (range, ending) = state.takeAll()
      return (range, copy(range, from: state), ending)
    }
    return (range, values, hasEnding ? completion : nil)
  }

  func comparisonText(_ comparison: Comparison, _ end: WaitEnd) -> String {
    let missing = comparison.expected.count > comparison.actual.count
    var lines = [
      "\(name) differs from what was expected, first at event \(comparison.prefix + 1):",
      comparison.table,
    ]
    if missing, completion == nil {
      switch end {
      case .arrived, .occupied: break
      case .notWaited, .notInTestCase:
        lines += pendingText.map { [$0, "Move time first: advance(by:) or run()."] } ?? []
      case .cancelled: lines.append("No more came before the waiting task was cancelled.")
      case .silent(let timeout):
        lines.append(
          "No more came in \(timeout.shortDescription) of real time (now: \(now)).")
        lines += pendingText.map { [$0, Self.adviceForPending] } ?? []
      case .atRest(let time):
        lines.append("No more came: \(RestText.reason(time)) (now: \(now)).")
        lines += pendingText.map { [$0, Self.adviceForPending] } ?? []
      case .nothingMore(let reason): lines.append("No more can come: \(reason).")
      case .interrupted: lines.append("No more came before a wait of XCTest around it ended.")
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension RecorderCore {
  fileprivate func same(
    _ a: PublisherCompletion<Failure>?, _ b: PublisherCompletion<Failure>?
  ) -> Bool {
    a.map { $0.isSame(as: b) } ?? (b == nil)
  }
}
