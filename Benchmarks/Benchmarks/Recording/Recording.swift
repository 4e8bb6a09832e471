import Benchmark
import Cases
import SleeplessTesting

let benchmarks: @Sendable () -> Void = {
  recording(1_000, "record 1k", time: { .real })
  recording(1_000_000, "record 1M", time: { .real })
  recording(16_000, "record in virtual time", time: { .of(TestScheduler()) })
  recordingAPublisher(16_000)
}

/// Records values one after another; the figure is per value.
private func recording(_ count: Int, _ name: String, time: @escaping @Sendable () -> RecorderTime) {
  measure(name, operations: count) { counter in
    let numbers = Recorder<Int, Never>(time: time(), allowsUnread: true)
    let duration = processorTime {
      for number in 0..<count { numbers.record(number) }
    }
    counter.value = numbers.all().count
    return duration
  }
}

/// Sends values to a recorder; the figure is per value.
private func recordingAPublisher(_ count: Int) {
  measure("record a publisher", operations: count) { counter in
    let subject = EventSubject<Int, Never>()
    let numbers = Recorder(subject, allowsUnread: true)
    let duration = processorTime {
      for number in 0..<count { subject.send(number) }
    }
    counter.value = numbers.all().count
    return duration
  }
}
