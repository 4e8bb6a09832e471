import Dispatch
import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite(.timeLimit(.minutes(10))) struct TimelineThreadTests {
  @Test func `a second thread that drives waits its turn`() async {
    let runLog = RunLog()
    let isRunning = Event()
    let mayGoOn = DispatchSemaphore(value: 0)
    runLog.schedule("slow", after: .seconds(1)) {
      isRunning.happen()
      mayGoOn.wait()
      runLog.write("done")
    }
    runLog.schedule("w", after: .seconds(2))
    async let first = onThread { runLog.timeline.drive(by: .seconds(1)).end.text }
    await isRunning.wait()
    // The second thread can only be waiting, or about to: the first is in the middle of its work.
    async let second = onThread { runLog.timeline.drive(by: .seconds(1)).end.text }
    mayGoOn.signal()
    #expect(await [first, second] == ["reached", "reached"])
    #expect(runLog.text == "slow@1 done@1 w@2")
  }

  @Test(arguments: [false, true])
  func `T1 a drive whose target is past when its turn comes says so`(isInSteps: Bool) async {
    let runLog = RunLog()
    let isRunning = Event()
    let mayGoOn = DispatchSemaphore(value: 0)
    runLog.schedule("slow", after: .seconds(3)) {
      isRunning.happen()
      mayGoOn.wait()
    }
    async let first = onThread { runLog.timeline.drive(to: Instant(seconds: 10)).end.text }
    await isRunning.wait()
    async let second = onThread {
      guard isInSteps else { return runLog.timeline.drive(to: Instant(seconds: 5)).end.text }
      var steps = runLog.timeline.steps(to: Instant(seconds: 5))
      return runLog.timeline.drive(&steps)?.text ?? "not over"
    }
    mayGoOn.signal()
    #expect(await first == "reached")
    #expect(await second == "past at 10.0 seconds")
  }

  @Test func `another thread can read time and pending work while work runs`() async {
    let runLog = RunLog()
    runLog.schedule("later", after: .seconds(2))
    runLog.schedule("now", after: .seconds(1)) {
      let seen = Locked("")
      let done = DispatchSemaphore(value: 0)
      startThread {
        let running = runLog.timeline.running?.label ?? "nothing"
        seen.withLock { $0 = "\(running) \(runLog.timeline.pendingLabels)" }
        done.signal()
      }
      done.wait()
      runLog.write(seen.withLock { $0 })
    }
    await onThread { _ = runLog.timeline.drive(by: .seconds(1)) }
    #expect(runLog.text == #"now@1 nothing ["later"]@1"#)
  }

  @Test func `T9 a drive that waits for work that waits for it gives up and names that work`() async
  {
    let timeline = Timeline(Timeline.Options(timeout: .milliseconds(2)))
    let end = await onThread {
      let end = Locked("")
      timeline.schedule("hog") {
        let done = DispatchSemaphore(value: 0)
        startThread {
          let text = timeline.drive(by: .seconds(1)).end.text
          end.withLock { $0 = text }
          done.signal()
        }
        done.wait()
      }
      _ = timeline.drive(by: .zero)
      return end.withLock { $0 }
    }
    #expect(end == "occupied by hog")
    #expect(timeline.waitingCount == 0)
    #expect(timeline.now == .start)
    #expect(timeline.drive(by: .seconds(1)).end.text == "reached")
  }

  @Test func `many threads that drive at once all get their turn`() async {
    let runLog = RunLog()
    runLog.schedule("tick", after: .seconds(1), every: .seconds(1))
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { await onThread { runLog.drive(times: 25) } } }
    }
    #expect(runLog.now == 200)
    #expect(runLog.text == (1...200).map { "tick@\($0)" }.joined(separator: " "))
  }
}

extension RunLog {
  fileprivate func drive(times: Int) {
    for _ in 0..<times { _ = timeline.drive(by: .seconds(1)) }
  }
}
