import Sleepless

/// Counts the values of a publisher, and fails once if their number is wrong.
///
/// The publisher retains this object, and this object retains the subscription. So it lives until the
/// publisher ends or is released, or until the end of the test if that is known.
final class StateWatch<Value: Sendable>: Sendable {
  /// Subscribes the core to a publisher, and runs a closure after each value.
  typealias Subscribe = (RecorderCore<Value, Never>, @escaping @Sendable () -> Void) -> Void

  private enum Phase { case collecting, watching, over }

  private let core: RecorderCore<Value, Never>
  private let limit: Int
  private let site: CallSite
  private let phase = Locked(Phase.collecting)

  init(limit: Int, at site: CallSite) {
    self.limit = limit
    self.site = site
    core = RecorderCore(
      called: "the publisher", time: .real, allowsUnread: true, reporter: Reporter(at: site))
    // The check itself runs when a value comes. This only makes the test wait for more values.
    core.reporter.atEndOfTest(
      mayChange: { [weak self] in self?.isWatching ?? false }, afterLastChange: {})
  }

  // MARK: The assertion

  func run(
    _ initialAssertions: () -> Void, subscribe: Subscribe,
    _ action: () -> Void, _ assertions: ([Value]) -> Void,
    wait: (RecorderCore<Value, Never>) -> WaitEnd
  ) {
    guard checkLimit() else { return }
    initialAssertions()
    subscribe(core, check)
    action()
    let end = wait(core)
    if end == .arrived, mayGetMore {
      _ = EndOfTest.Rest.reachedHere(.noMoreEvents, orPause: Self.pause)
    }
    if let values = values(end) { assertions(values) }
  }

  func run(
    _ initialAssertions: () -> Void, subscribe: Subscribe,
    _ action: () async -> Void, _ assertions: ([Value]) -> Void,
    isolation: isolated (any Actor)?
  ) async {
    guard checkLimit() else { return }
    initialAssertions()
    subscribe(core, check)
    await action()
    let end = await core.waitForEvents(limit, isolation: isolation)
    if end == .arrived, mayGetMore {
      _ = await EndOfTest.Rest.reached(.noMoreEvents, orPause: Self.pause)
    }
    if let values = values(end) { assertions(values) }
  }

  /// How long it waits for more values where the test's tasks cannot be followed.
  private static var pause: Duration { .milliseconds(500) }

  /// Whether the number of values is right so far, and more may come.
  private var mayGetMore: Bool { core.state.withLock { $0.isOpen && $0.history.count == limit } }

  private var isWatching: Bool {
    guard case .watching = phase.withLock({ $0 }) else { return false }
    return mayGetMore
  }

  /// Whether the limit makes sense; otherwise fails the test.
  private func checkLimit() -> Bool {
    guard limit < 1 else { return true }
    core.fail(
      """
      valuesLimit must be at least 1 (was \(limit)). Nothing was run.
      To assert that nothing is sent, record the publisher and use expectNone().
      """, at: site)
    return false
  }

  /// The values to hand over if their number is right; otherwise fails the test.
  private func values(_ end: WaitEnd) -> [Value]? {
    let values = core.takeAll().values
    let isRight = values.count == limit
    phase.withLock { $0 = isRight ? .watching : .over }
    guard isRight else {
      let isSurplus = values.count > limit
      core.fail(
        isSurplus ? surplusText("\(values.count) came") : shortageText(end), at: site)
      return nil
    }
    check()
    return values
  }

  /// Fails if more values have come since they were handed over. Called after each value.
  @Sendable private func check() {
    let isSurplus = phase.withLock { phase in
      guard case .watching = phase, core.state.withLock({ $0.history.count }) > limit else {
        return false
      }
      phase = .over
      return true
    }
    if isSurplus { core.fail(surplusText("another one came later"), at: site) }
  }

  // MARK: Texts

  private var expected: String { limit == 1 ? "1 value" : "\(limit) values" }

  private func surplusText(_ what: String) -> String {
    """
    assert() expected \(expected) from the publisher, but \(what).
    \(core.historyText)
    Does the code under test send a state twice, or go on after its result? If this number is \
    right, set valuesLimit.
    """
  }

  private func shortageText(_ end: WaitEnd) -> String {
    guard core.completion != nil else {
      let count = core.state.withLock { $0.history.count }
      return core.shortageText("assert()", expected, came: count, end)
    }
    return """
      assert() expected \(expected) from the publisher, but it finished before.
      \(core.historyText)
      Was the sender of the values released, or did it end too soon? If this number is right, set \
      valuesLimit.
      """
  }
}
