import Cases
import NIOCore
import NIOEmbedded
import SleeplessTesting

/// Schedules work at random times within a second and runs it; the figure is per piece of work.
func oneShots(_ count: Int, _ size: String, atMost limit: Duration = .seconds(2)) {
  let delays = delays(count, in: 0..<1_000_000_000)
  let ourDelays = delays.map { Duration.nanoseconds($0) }
  let peerDelays = delays.map { TimeAmount.nanoseconds($0) }
  measure("schedule+run \(size)", operations: count, atMost: limit) { counter in
    let scheduler = TestScheduler()
    return processorTime {
      for delay in ourDelays { scheduler.schedule(after: delay) { counter.value += 1 } }
      scheduler.advance(by: .seconds(1))
    }
  } peer: { counter in
    let loop = EmbeddedEventLoop()
    return processorTime {
      for delay in peerDelays { loop.scheduleTask(in: delay) { counter.value += 1 } }
      loop.advanceTime(by: .seconds(1))
    }
  }
}
