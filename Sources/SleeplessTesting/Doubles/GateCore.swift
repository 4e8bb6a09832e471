import Sleepless

/// The part of a gate that its calls retain. It answers them from any thread.
///
/// The gate itself is released when its test ends, so its release can show the end.
final class GateCore<Value: Sendable>: Sendable {
  typealias Answer = GateState<Value>.Answer

  let owner: DoubleOwner
  let recordingClock: RecordingClock
  let state: Locked<GateState<Value>>
  private let time: RecorderTime

  init(_ owner: DoubleOwner, time: RecorderTime, ignoresCancellation: Bool) {
    self.owner = owner
    self.time = time
    recordingClock = RecordingClock(time)
    state = Locked(GateState(ignoresCancellation: ignoresCancellation))
  }

  // MARK: Being called

  func refusal(of arguments: String?) -> (any Error)? {
    owner.refusal(of: arguments, historyText)
  }

  func enter(_ arguments: String?) -> Int {
    let now = recordingClock.now
    return state.withLock { $0.enter(arguments, at: now) }
  }

  func hold(_ number: Int, _ deliver: @escaping @Sendable (CallEnd<Value>) -> Void) {
    if let end = state.withLock({ $0.hold(number, deliver) }) { deliver(end) }
  }

  func cancel(_ number: Int) {
    let now = recordingClock.now
    perform(state.withLock { $0.cancel(number, at: now) }, end: .cancelled, isCancelled: true)
  }

  /// Performs the actions after the end of a call, or after its cancellation.
  private func perform(
    _ consequence: GateState<Value>.Consequence, end: CallEnd<Value>, isCancelled: Bool = false
  ) {
    consequence.deliver?(end)
    for watcher in consequence.watchers { watcher.record(isCancelled) }
    ChangeNotifier.somethingHappened()
  }

  // MARK: Answering

  func answer(_ number: Int, _ answer: Answer, _ call: String, at site: CallSite) {
    let now = recordingClock.now
    guard let consequence = state.withLock({ $0.end(number, .answered(answer, at: now)) }) else {
      if let text = tooLateText(call, number, answer) { owner.fail(text, at: site) }
      return
    }
    perform(consequence, end: CallEnd(answer))
  }

  func answerFirst(_ answer: Answer, _ call: String, at site: CallSite) {
    let now = recordingClock.now
    let consequence = state.withLock { state in
      state.inFlight.first.flatMap { state.end($0, .answered(answer, at: now)) }
    }
    guard let consequence else { return owner.fail(nothingToAnswerText(call, answer), at: site) }
    perform(consequence, end: CallEnd(answer))
  }

  // MARK: Looking

  var inFlight: [Int] { state.withLock { $0.inFlight.map { $0 } } }

  func isInFlight(_ number: Int) -> Bool { state.withLock { $0[number].end == nil } }

  func isCancelled(_ number: Int) -> Bool { state.withLock { $0[number].cancellation != nil } }

  func waitForCancellation(
    _ number: Int, isolation: isolated (any Actor)?, at site: CallSite
  ) async throws {
    let watcher = RecorderCore<Bool, Never>(
      called: "call \(number) of \(owner.name)", recording: .cancellation, time: time,
      allowsUnread: true, reporter: Reporter(at: site))
    guard state.withLock({ $0.watch(number, watcher) }) else {
      guard isCancelled(number) else { throw owner.failure(notCancelledText(number), at: site) }
      return
    }
    let end = await watcher.waitForEvents(1, isolation: isolation)
    switch watcher.allValues().first {
    case true: return
    case false: throw owner.failure(notCancelledText(number), at: site)
    case nil:
      throw owner.failure(
        watcher.shortageText("cancelled()", "a cancellation", came: 0, end), at: site)
    }
  }

  // MARK: The end

  func checkAtEnd(isQuiet: Bool) {
    owner.close()
    guard let held = state.withLock({ $0.close() }), !held.isEmpty else { return }
    if !isQuiet, !owner.hasFailed { owner.reporter.tellLeftover(leftoverText(held.count)) }
    for number in held {
      if let consequence = state.withLock({ $0.end(number, .released) }) {
        perform(consequence, end: .cancelled)
      }
    }
  }
}
