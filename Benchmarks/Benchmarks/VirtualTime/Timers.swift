import Cases
import NIOCore
import NIOEmbedded
import SleeplessTesting

/// Lets timers tick every millisecond, each with its own random offset; the figure is per tick.
func timers(_ count: Int, ticks: Int, _ name: String) {
  let offsets = delays(count, in: 1..<1_000_000)
  measure(name, operations: count * ticks) { counter in
    let scheduler = TestScheduler(allowsPendingWork: true)
    for offset in offsets {
      scheduler.schedule(after: .nanoseconds(offset), every: .milliseconds(1)) {
        counter.value += 1
      }
    }
    return processorTime {
      scheduler.advance(by: .milliseconds(ticks))
    }
  } peer: { counter in
    let loop = EmbeddedEventLoop()
    for offset in offsets {
      loop.scheduleRepeatedTask(initialDelay: .nanoseconds(offset), delay: .milliseconds(1)) { _ in
        counter.value += 1
      }
    }
    return processorTime {
      loop.advanceTime(by: .milliseconds(Int64(ticks)))
    }
  }
}
