import Cases
import NIOCore
import NIOEmbedded
import SleeplessTesting

/// Cancels every second piece of work at random times; the figure is per call of `cancel()`.
///
/// The figure leaves out the scheduling before and the run afterwards, which shows that the other
/// work is still there.
func cancelling(_ count: Int) {
  let delays = delays(count, in: 0..<1_000_000_000)
  measure("cancel", operations: count / 2, runs: count / 2) { counter in
    let scheduler = TestScheduler()
    let tokens = delays.map { delay in
      scheduler.schedule(after: .nanoseconds(delay)) { counter.value += 1 }
    }
    let duration = processorTime {
      for index in stride(from: 0, to: count, by: 2) { tokens[index].cancel() }
    }
    scheduler.advance(by: .seconds(1))
    return duration
  } peer: { counter in
    let loop = EmbeddedEventLoop()
    let tokens = delays.map { delay in
      loop.scheduleTask(in: .nanoseconds(delay)) { counter.value += 1 }
    }
    let duration = processorTime {
      for index in stride(from: 0, to: count, by: 2) { tokens[index].cancel() }
    }
    loop.advanceTime(by: .seconds(1))
    return duration
  }
}
