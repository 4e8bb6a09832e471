import Sleepless

extension GateCore {
  /// The calls so far with their ends, or that there are none.
  var historyText: String {
    let calls = state.withLock { $0.calls.map { $0 } }
    let now = recordingClock.text(recordingClock.now)
    guard !calls.isEmpty else { return "Nothing has come so far (now: \(now))." }
    return "So far (now: \(now)):\n\(list(calls))"
  }

  func text(of number: Int) -> String { text(of: state.withLock { $0[number] }) }

  private func list(_ calls: [GateState<Value>.Call]) -> String {
    let lines = calls.suffix(10).map { call in
      EventLine(time: recordingClock.text(call.time), text: text(of: call), isUnread: false)
    }
    return EventLine.list(lines, before: calls.count - lines.count)
  }

  private func text(of call: GateState<Value>.Call) -> String {
    let end: String
    switch call.end {
    case nil:
      let cancellation = call.cancellation.map { ", cancelled at \(recordingClock.text($0))" }
      end = "in flight" + (cancellation ?? "")
    case .answered(let answer, let time):
      end = "answered at \(recordingClock.text(time))\(self.text(of: answer, after: ": "))"
    case .cancelled: end = "cancelled at \(recordingClock.text(call.cancellation ?? call.time))"
    case .released: end = "ended with its test"
    }
    return (call.arguments.map { "\($0): " } ?? "") + end
  }

  private func text(of answer: Answer, after start: String) -> String {
    switch answer {
    case .success(let value): argumentText(of: value).map { start + $0 } ?? ""
    case .failure(let error): "\(start)an error, \(eventText(of: error))"
    }
  }

  /// Why a call cannot be answered any more; nil if the test has ended, which has been reported.
  func tooLateText(_ call: String, _ number: Int, _ answer: Answer) -> String? {
    let held = "call \(number) of \(owner.name)"
    let answer = text(of: answer, after: ", with ")
    switch state.withLock({ $0[number].end }) {
    case nil, .answered:
      return """
        \(call) answered \(held) a second time\(answer).
        \(historyText)
        A held call takes one answer. To answer the next call, get it with entered().
        """
    case .cancelled:
      return """
        \(call) came too late for \(held)\(answer): its task was cancelled.
        \(historyText)
        It has ended with CancellationError. To play a service that answers all the same, make the \
        gate with ignoresCancellation: true.
        """
    case .released:
      return nil
    }
  }

  func nothingToAnswerText(_ call: String, _ answer: Answer) -> String {
    """
    \(call) found no call of \(owner.name) in flight\(text(of: answer, after: " to answer with ")).
    \(historyText)
    Let a call enter first: try await entered() waits for it. To answer at once use a Stub.
    """
  }

  func notCancelledText(_ number: Int) -> String {
    """
    cancelled() expected the task of call \(number) of \(owner.name) to be cancelled, but the call \
    ended otherwise.
    \(historyText)
    Only a call in flight can be cancelled. Is the answer given too early, or the task not kept?
    """
  }

  func leftoverText(_ count: Int) -> String {
    """
    \(count == 1 ? "1 call" : "\(count) calls") of \(owner.name) \(count == 1 ? "was" : "were") \
    still held back at the end of the test.
    \(historyText)
    Answer each call with succeed(with:) or fail(with:), or cancel the task that made it. A call \
    still held now ends with CancellationError.
    """
  }
}
