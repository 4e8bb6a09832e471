import Dispatch
import Sleepless
import Testing
import TestSupport

/// Tokens of work on real queues. Later work on the same serial queue shows that cancelled work did
/// not run; no test waits for that.
@Suite(.timeLimit(.minutes(10))) struct DispatchTimerTests {
  private let queue = DispatchQueue(label: "live")
  private let log = Log<String>()

  @Test func `T8 work cancelled before it is due does not run`() async {
    await withCheckedContinuation { done in
      queue.async { [queue, log] in
        let token = queue.schedule(after: .zero) { log.append("cancelled") }
        queue.schedule(after: .milliseconds(1)) {
          log.append("later")
          done.resume()
        }
        token.cancel()
      }
    }
    #expect(log.values == ["later"])
  }

  @Test func `T8 work cancelled when due but delayed by its queue does not run`() async {
    await withCheckedContinuation { done in
      queue.suspend()
      let token = queue.schedule(after: .zero) { [log] in log.append("cancelled") }
      queue.schedule(after: .milliseconds(1)) { [queue, log] in
        log.append("later")
        queue.schedule(after: .milliseconds(1)) { done.resume() }
      }
      token.cancel()
      token.cancel()
      queue.resume()
    }
    #expect(log.values == ["later"])
  }

  @Test func `repeating work runs until it cancels itself`() async {
    let token = Locked<(any CancellableType)?>(nil)
    await withCheckedContinuation { done in
      queue.async { [queue, log] in
        let item = queue.schedule(every: .microseconds(100)) {
          log.append("tick")
          guard log.values.count == 3 else { return }
          token.withLock { $0 }?.cancel()
          // By then a fourth tick would have been due for a long time.
          queue.schedule(after: .milliseconds(1)) { done.resume() }
        }
        token.withLock { $0 = item }
      }
    }
    #expect(log.values == ["tick", "tick", "tick"])
  }

  @Test func `dropping the token does not cancel`() async {
    await withCheckedContinuation { done in
      _ = queue.schedule(after: .milliseconds(1)) { done.resume() }
    }
  }

  @Test func `work that has run releases what it captured`() async {
    let released = Event()
    let token = {
      let probe = Probe { released.happen() }
      return queue.schedule(after: .zero) { probe.touch() }
    }()
    await released.wait()
    token.cancel()
  }

  @Test(arguments: [nil, Duration.seconds(1)])
  func `cancelled work releases its captures at once`(interval: Duration?) {
    weak var captured: Probe?
    let token = {
      let probe = Probe()
      captured = probe
      return if let interval {
        queue.schedule(after: .seconds(1000), every: interval) { probe.touch() }
      } else {
        queue.schedule(after: .seconds(1000)) { probe.touch() }
      }
    }()
    token.cancel()
    #expect(captured == nil)
  }

  @Test func `delays, intervals and tolerances may have any length`() {
    for duration in [Duration.forever, .seconds(Int64.max), .seconds(9_223_372_036)] {
      queue.schedule(after: duration) {}.cancel()
      queue.schedule(after: duration, every: duration, tolerance: duration) {}.cancel()
    }
  }
}
