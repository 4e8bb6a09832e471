import Cases
import Sleepless

/// Sends values to a queue that runs nothing until all have been sent, so that all wait in the operator.
/// The figure is per value, from the send to the sink.
func receiving(waiting count: Int, _ name: String) {
  measure(name, operations: count) { counter in
    let queue = HeldQueue()
    let subject = EventSubject<Int, Never>()
    let token = subject.receive(on: queue).sink { _ in counter.value += 1 }
    return withExtendedLifetime(token) {
      processorTime {
        for number in 0..<count { subject.send(number) }
        queue.runAll()
      }
    }
  }
}

/// Keeps its work until it is asked to run it.
private final class HeldQueue: DispatchQueueType, @unchecked Sendable {
  // Unchecked: one thread sends and runs.
  private var works: [@Sendable () -> Void] = []

  func async(execute work: @escaping @Sendable @convention(block) () -> Void) { works.append(work) }

  func runAll() {
    for work in works { work() }
    works = []
  }
}
