import Sleepless

extension Recorder {
  /// Expects the unread events to be those of a line of symbols and durations; reads them.
  ///
  /// ```swift
  /// states.expect(marbles: "initial loading 1s loaded(\"Tom\") |")
  /// ```
  ///
  /// A word stands for the value that prints like it, `|` for the finish, `#` for a failure,
  /// `#offline` for one that prints `offline`. Only durations take time: `10ms`, `1.5s`, `2m`. Times
  /// count from the making of the recorder and are compared if it writes virtual time; in real time
  /// a line must have no durations. A duration at the end means that time has moved on by so much.
  public func expect(
    marbles line: String,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line number: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: number, column: column)
    core.expect(
      marbles: line, isNamed: { value, name in String(describing: value) == name },
      word: { String(describing: $0) }, at: site)
  }
}

extension Recorder where Value: Equatable {
  /// Expects the unread events to be those of a line whose words are names of values; reads them.
  ///
  /// ```swift
  /// states.expect(marbles: "i l 1s d", ["i": .initial, "l": .loading, "d": .loaded("Tom")])
  /// ```
  public func expect(
    marbles line: String, _ values: [String: Value],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line number: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: number, column: column)
    core.expect(
      marbles: line, names: values, isNamed: { value, name in values[name] == value },
      word: { value in
        values.filter { $0.value == value }.keys.min() ?? String(describing: value)
      }, at: site)
  }
}

extension RecorderCore {
  fileprivate func expect(
    marbles text: String, names: [String: Value]? = nil,
    isNamed: (Value, String) -> Bool, word: (Value) -> String, at site: CallSite
  ) {
    let line: MarbleLine
    do {
      line = try MarbleLine(text)
    } catch {
      return fail("The marbles \"\(text)\" cannot be read: \(error.text).", at: site)
    }
    if let mistake = mistake(in: line, names) {
      return fail("The marbles \"\(text)\" cannot be compared: \(mistake).", at: site)
    }
    recordPendingChange()
    let events = takeMarbles()
    let now = recordingClock.now - recordingClock.offset
    func symbol(_ event: MarbleEvent) -> String {
      switch event.content {
      case .value(let value): word(value)
      case .ending(.finished): "|"
      case .ending(.failure(let error)): "#\(String(describing: error))"
      }
    }
    func areEqual(_ i: Int, _ j: Int) -> Bool {
      if recordingClock.isVirtual, line.events[i].at != events[j].at { return false }
      switch (line.events[i].symbol, events[j].content) {
      case (.value(let name), .value(let value)): return isNamed(value, name)
      case (.finish, .ending(.finished)), (.failure(nil), .ending(.failure)): return true
      case (.failure(let name?), .ending(.failure(let error))):
        return String(describing: error) == name
      default: return false
      }
    }
    func time(_ time: Duration) -> String? {
      recordingClock.isVirtual ? recordingClock.text(time) : nil
    }
    let comparison = Comparison(
      expected: line.events.count, actual: events.count, areEqual: areEqual,
      expectedEvent: { i in
        ComparedEvent(time: time(line.events[i].at), text: line.events[i].symbol.word)
      },
      actualEvent: { j in ComparedEvent(time: time(events[j].at), text: symbol(events[j])) })
    let expected = MarbleLine.text(
      line.events.map { ($0.at, $0.symbol.word) }, duration: line.duration)
    let actual = MarbleLine.text(
      events.map { (recordingClock.isVirtual ? $0.at : .zero, symbol($0)) }, duration: .zero)
    if let comparison {
      fail(
        """
        \(name) differs from its marbles, first at event \(comparison.prefix + 1):
        \(lines(expected, actual))
        \(comparison.table)
        """, at: site)
    } else if recordingClock.isVirtual, now < line.duration {
      fail(
        """
        \(name) was compared too early: its marbles end at \(recordingClock.text(line.duration)), and \
        it is \(recordingClock.text(now)): "\(text)".
        Move time first: advance(by: ...).
        """, at: site)
    }
  }

  private func mistake(in line: MarbleLine, _ names: [String: Value]?) -> String? {
    if line.hasDurations, !recordingClock.isVirtual {
      return """
        they have durations, and \(name) writes real time, which is never exact. Make it with \
        time: .of(scheduler), or leave the durations out
        """
    }
    guard let names else { return nil }
    for case .value(let name) in line.events.map(\.symbol) where names[name] == nil {
      let known = names.keys.sorted().joined(separator: ", ")
      return "no value is called \"\(name)\" (there are: \(known))"
    }
    return nil
  }

  /// The two lines, with a mark under the first character that differs.
  private func lines(_ expected: String, _ actual: String) -> String {
    let same = zip(expected, actual).prefix { $0 == $1 }.count
    return """
      expected  \(expected.isEmpty ? "nothing" : expected)
      actual    \(actual.isEmpty ? "nothing" : actual)
      \(String(repeating: " ", count: 10 + same))^
      """
  }

  private struct MarbleEvent {
    enum Content {
      case value(Value)
      case ending(PublisherCompletion<Failure>)
    }

    let at: Duration
    let content: Content
  }

  /// Reads everything, with times from the making of the recorder.
  private func takeMarbles() -> [MarbleEvent] {
    let read = takeAll()
    let (times, end) = state.withLock { state in
      (state.history.times(in: read.range), state.endingTime)
    }
    let values = zip(times, read.values).map { time, value in
      MarbleEvent(at: time - recordingClock.offset, content: .value(value))
    }
    guard let ending = read.ending, let end else { return values }
    return values + [MarbleEvent(at: end - recordingClock.offset, content: .ending(ending))]
  }
}
