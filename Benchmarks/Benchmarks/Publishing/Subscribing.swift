import Cases
import OpenCombine
import Sleepless

/// Subscribes and cancels in turn; the figure is per subscription. A value sent at the end shows
/// that no subscriber is left.
func subscribing() {
  let count = 10_000
  measure("subscribe+cancel", operations: count, runs: 0) { counter in
    let subject = EventSubject<Int, Never>()
    let duration = processorTime {
      for _ in 0..<count { subject.sink { _ in counter.value += 1 }.cancel() }
    }
    subject.send(1)
    return duration
  } peer: { counter in
    let subject = PassthroughSubject<Int, Never>()
    let duration = processorTime {
      for _ in 0..<count { subject.sink { _ in counter.value += 1 }.cancel() }
    }
    subject.send(1)
    return duration
  }
}
