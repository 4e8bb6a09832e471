/// What a place waits with.
package enum WaitKind: String, CaseIterable, Sendable, Codable {
  case taskSleep = "Task.sleep"
  case clockSleep = "clock sleep"
  case threadSleep = "thread sleep"
  case expectation = "expectation"
  case invertedExpectation = "inverted expectation"
  case semaphore = "semaphore"
  case group = "dispatch group"
  case condition = "condition variable"
  case runLoop = "run loop"
  case delayedCall = "asyncAfter"
  case timer = "timer"
  case pollingLoop = "polling loop"
  case spinning = "spinning loop"
  case yield = "Task.yield"
  case polledExpectation = "polled expectation"
  case blockingSequence = "blocking sequence"
  case otherThread = "wait for work"
  case userInterface = "user interface"

  /// Whether the duration is a limit, which a passing test does not reach.
  var isLimited: Bool {
    switch self {
    case .expectation, .semaphore, .group, .condition, .polledExpectation, .blockingSequence,
      .otherThread, .userInterface:
      true
    default: false
    }
  }
}
