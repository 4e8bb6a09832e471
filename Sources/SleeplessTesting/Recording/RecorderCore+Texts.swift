import Sleepless

/// The kind of a recorder's events.
enum RecordedSubject: Sendable {
  case values
  /// Calls of a double. Texts say which are unread only where unread calls fail.
  case calls
  /// The one cancellation of a call.
  case cancellation

  func text(_ count: Int) -> String {
    switch self {
    case .values: count == 1 ? "a value" : "\(count) values"
    case .calls: count == 1 ? "a call" : "\(count) calls"
    case .cancellation: "a cancellation"
    }
  }

  /// The question that a failure asks if no event has come.
  var question: String {
    switch self {
    case .values: "Was the code under test started? Does it send to the recorded source?"
    case .calls: "Was the code under test started? Does it call this double?"
    case .cancellation: "Does the code under test keep the task that made the call, and cancel it?"
    }
  }
}

extension RecorderCore {
  /// The current time as text.
  var now: String { recordingClock.text(recordingClock.now) }

  /// A list of the events so far, or a sentence that there are none.
  var historyText: String {
    let list = latest(10).list(recordingClock)
    guard let list else { return "Nothing has come so far (now: \(now))." }
    return "So far (now: \(now)):\n\(list)"
  }

  /// What to do if work is pending in virtual time.
  static var adviceForPending: String {
    "Virtual time stands still while a test waits: advance it before reading."
  }

  /// The pending work in virtual time, with a heading; nil if there is none, and in real time.
  var pendingText: String? {
    guard let pending = recordingClock.pending, !pending.isEmpty else { return nil }
    return "Pending in virtual time:\n\(pending)"
  }

  var leftoverText: String {
    let (count, late) = state.withLock { ($0.unreadCount, $0.countSinceRelease) }
    let remark =
      late == 0
      ? ""
      : """

      \(late == 1 ? "The last one" : "The last \(late)") came after the recorder was released: it \
      records until the end of the test, unless cancel() ends that sooner.
      """
    return """
      \(count == 1 ? "1 event" : "\(count) events") of \(name) \(count == 1 ? "was" : "were") \
      never read:
      \(latest(10).list(recordingClock) ?? "")
      Read the events that matter to the test with next(), expect() or all(), and leave out the \
      others with skip(). If none matters, make the recorder with allowsUnread: true.\(remark)
      """
  }

  func text(of violation: ContractViolation) -> String {
    let event: String
    switch violation {
    case .value(let value): event = "a value, \(eventText(of: value)),"
    case .ending(let ending): event = "another end, \"\(ending.text)\","
    case .subscription:
      return """
        The source of \(name) subscribed its recorder a second time.
        \(historyText)
        A publisher calls a subscriber's receive(subscription:) once. Check for an operator that \
        passes on the subscriptions of several publishers.
        """
    case .early(let event):
      return """
        The source of \(name) sent \(event) before it had subscribed its recorder.
        \(historyText)
        A publisher calls a subscriber's receive(subscription:) first, and then sends as many values as that \
        asks for. Many subscribers drop what comes before.
        """
    }
    let (isCancelled, hasSource, isOver) = state.withLock {
      ($0.isCancelled, $0.hasSource, $0.isOver)
    }
    if isCancelled, hasSource {
      return """
        The source of \(name) sent \(event) after it was cancelled.
        \(historyText)
        After cancel() no new event may come. Make the source check for cancellation and release \
        its subscribers.
        """
    }
    if isCancelled {
      return """
        \(name) was given \(event) after \(isOver ? "its test had ended" : "it was cancelled").
        \(historyText)
        Something that the test started still runs. Let the test wait for it, or stop it.
        """
    }
    return """
      The source of \(name) sent \(event) after its end.
      \(historyText)
      Nothing may follow the end. Usually a callback is called twice, or a task goes on sending \
      after another one has finished the source.
      """
  }

  /// The failure of a call that expected more events than came.
  func shortageText(_ call: String, _ wanted: String, came: Int, _ end: WaitEnd) -> String {
    let (isOver, isCancelled) = state.withLock { ($0.isOver, $0.isCancelled) }
    let reason: String
    var advice: String
    if isOver {
      reason = "its test has ended"
      advice = "Make a recorder in each test."
    } else if let ending = completion {
      reason = "it has \(ending.text)"
      advice = "The source ended sooner than the test expects. "
      advice += ending.isFinished ? "finish() reads the end." : "failure() reads the error."
    } else if isCancelled {
      reason = "the recorder was cancelled"
      advice = "Read first and cancel later, or make another recorder."
    } else {
      (reason, advice) = explain(end)
    }
    let came = came == 0 ? "none" : "only \(came)"
    let lines: [String?] = [
      "\(call) expected \(wanted) from \(name), but \(came) came: \(reason).",
      historyText, completion == nil ? pendingText : nil, advice,
    ]
    return lines.compactMap { $0 }.joined(separator: "\n")
  }

  private func explain(_ end: WaitEnd) -> (reason: String, advice: String) {
    switch end {
    case .arrived, .notWaited, .occupied:
      let advice =
        pendingText == nil
        ? "Let the event come first, or wait for it: try await in an async test."
        : "Move time first: advance(by:) or run()."
      return ("a synchronous read does not wait", advice)
    case .notInTestCase:
      return (
        "it does not wait in a Swift Testing test",
        "Make the test async, and await the same read without waitFor: it waits for the event."
      )
    case .cancelled:
      return (
        "the waiting task was cancelled first",
        """
        Usually a time limit of the test, or the test itself, cancels the task that reads. Read in a task \
        that nobody cancels, or find out what takes so long.
        """
      )
    case .silent(let timeout):
      let advice =
        pendingText == nil ? subject.question : Self.adviceForPending
      return ("\(timeout.shortDescription) of real time went by without it", advice)
    case .atRest(let time):
      return (
        RestText.reason(time),
        pendingText == nil ? RestText.advice : Self.adviceForPending
      )
    case .nothingMore(let reason):
      return (
        reason,
        """
        Nothing left to run can send the event. Look for code that was not started, or that waits for a \
        queue, a thread or a server.
        """
      )
    case .interrupted:
      return (
        "a wait of XCTest around it ended first",
        "Read the value after that wait, or give that wait more time."
      )
    }
  }

  func occupiedText(_ call: String) -> String {
    """
    \(call) was called while another task waits for the events of \(name). Chance would decide \
    which task gets the next event.
    Read from one task, or make a recorder for each task.
    """
  }
}

extension RecorderCore {
  /// Copies of the latest events: `description` may be the user's code and must not run under the lock.
  private func latest(_ limit: Int) -> LatestEvents<Value, Failure> {
    let completion = completion
    return state.withLock { state in
      let first = max(0, state.history.count - limit)
      let range = first..<state.history.count
      return LatestEvents(
        first: first, values: copy(range, from: state), times: state.history.times(in: range),
        readCount: subject == .calls && state.allowsUnread ? .max : state.readCount,
        pendingChange: state.pendingChange?.duration,
        ending: completion.flatMap { completion in
          state.endingTime.map { (completion, at: $0) }
        }, isEndingRead: state.isEndingRead)
    }
  }
}

private struct LatestEvents<Value: Sendable, Failure: Error>: Sendable {
  let first: Int
  let values: [Value]
  let times: [Duration]
  let readCount: Int
  let pendingChange: Duration?
  let ending: (PublisherCompletion<Failure>, at: Duration)?
  let isEndingRead: Bool

  /// One event per line; nil if there are none.
  func list(_ recordingClock: RecordingClock) -> String? {
    var lines = values.indices.map { index in
      EventLine(
        time: recordingClock.text(times[index]), text: eventText(of: values[index]),
        isUnread: first + index >= readCount)
    }
    if let pendingChange {
      lines.append(
        EventLine(
          time: recordingClock.text(pendingChange), text: "a change whose value was not read",
          isUnread: true))
    }
    if let (ending, time) = ending {
      lines.append(
        EventLine(time: recordingClock.text(time), text: ending.text, isUnread: !isEndingRead))
    }
    return lines.isEmpty ? nil : EventLine.list(lines, before: first)
  }
}
