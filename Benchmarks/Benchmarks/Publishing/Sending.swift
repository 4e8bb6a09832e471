import Cases
import OpenCombine
import Sleepless

/// The number of values that each turn sends.
private let count = 20_000

/// Sends to a number of counting sinks; the figure is per value.
func sending(to sinks: Int, _ name: String) {
  measure(name, operations: count, runs: count * sinks) { counter in
    let subject = EventSubject<Int, Never>()
    let tokens = (0..<sinks).map { _ in subject.sink { _ in counter.value += 1 } }
    return withExtendedLifetime(tokens) {
      processorTime { for number in 0..<count { subject.send(number) } }
    }
  } peer: { counter in
    let subject = PassthroughSubject<Int, Never>()
    let tokens = (0..<sinks).map { _ in subject.sink { _ in counter.value += 1 } }
    return withExtendedLifetime(tokens) {
      processorTime { for number in 0..<count { subject.send(number) } }
    }
  }
}

/// Sends through `map` and a `filter` that passes half of the values; the figure is per value sent.
func transforming() {
  measure("send through map+filter", operations: count, runs: count / 2) { counter in
    let subject = EventSubject<Int, Never>()
    let token = subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { _ in counter.value += 1 }
    return withExtendedLifetime(token) {
      processorTime { for number in 0..<count { subject.send(number) } }
    }
  } peer: { counter in
    let subject = PassthroughSubject<Int, Never>()
    let token = subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { _ in counter.value += 1 }
    return withExtendedLifetime(token) {
      processorTime { for number in 0..<count { subject.send(number) } }
    }
  }
}

/// Sends to one sink of a subject with a current value; the figure is per value.
func settingState() {
  measure("set state with 1 sink", operations: count, runs: count + 1) { counter in
    let subject = StateSubject<Int, Never>(0)
    let token = subject.sink { _ in counter.value += 1 }
    return withExtendedLifetime(token) {
      processorTime { for number in 0..<count { subject.send(number) } }
    }
  } peer: { counter in
    let subject = CurrentValueSubject<Int, Never>(0)
    let token = subject.sink { _ in counter.value += 1 }
    return withExtendedLifetime(token) {
      processorTime { for number in 0..<count { subject.send(number) } }
    }
  }
}
