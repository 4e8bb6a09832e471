// The cost of concurrent code outside of simulations, in a process that could run simulations
// (`OutsideBeside`) and in one that could not (`OutsideAlone`).

@_spi(ExperimentalCustomExecutors) import _Concurrency
import Dispatch
import Foundation

/// Prints the executors of the process, and then a line for each kind of work: its name and its
/// nanoseconds.
public func measureOutside() async {
  #if compiler(>=6.3)
    print("executors\t\(type(of: Task<Never, Never>.defaultExecutor))")
  #endif
  let counter = Counter()
  await measure("task made and awaited", times: 60_000) {
    for _ in 0..<$0 { await Task { await counter.nothing() }.value }
  }
  await measure("hop to an actor and back", times: 1_000_000) {
    for _ in 0..<$0 { await counter.count() }
  }
  await measure("hop to the main actor and back", times: 40_000) {
    for _ in 0..<$0 { await countOnMain() }
  }
  await measure("yield", times: 60_000) {
    for _ in 0..<$0 { await Task.yield() }
  }
  let semaphore = DispatchSemaphore(value: 0)
  await measure("semaphore signalled and waited for", times: 2_000_000) {
    for _ in 0..<$0 { pass(semaphore) }
  }
  let group = DispatchGroup()
  await measure("group entered, left and waited for", times: 1_000_000) {
    for _ in 0..<$0 { pass(group) }
  }
  let queue = DispatchQueue(label: "outside")
  await measure("block given to a queue", times: 400_000) {
    for _ in 0..<$0 { queue.async {} }
    await withCheckedContinuation { done in queue.async { done.resume() } }
  }
  await measure("sync on a queue", times: 2_000_000) {
    for _ in 0..<$0 { pass(queue) }
  }
  await measure("deadline read", times: 2_000_000) {
    for _ in 0..<$0 { _ = DispatchTime.now() }
  }
  await measure("clock read", times: 2_000_000) {
    for _ in 0..<$0 { readClock() }
  }
  let condition = NSCondition()
  await measure("condition signalled", times: 2_000_000) {
    for _ in 0..<$0 { signal(condition) }
  }
  await measure("sleep of a nanosecond", times: 10_000) {
    for _ in 0..<$0 { try? await Task.sleep(for: .nanoseconds(1)) }
  }
}

/// In processor time of the whole process, because the work moves from thread to thread.
private func measure(_ name: String, times: Int, _ work: (Int) async -> Void) async {
  await work(times / 10)
  let start = clock()
  await work(times)
  let nanoseconds = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9
  print("\(name)\t\(nanoseconds / Double(times))")
}

private func pass(_ semaphore: DispatchSemaphore) {
  semaphore.signal()
  semaphore.wait()
}

private func readClock() {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
}

private func signal(_ condition: NSCondition) { condition.signal() }

private func pass(_ queue: DispatchQueue) { queue.sync {} }

private func pass(_ group: DispatchGroup) {
  group.enter()
  group.leave()
  group.wait()
}

private actor Counter {
  private var value = 0

  func count() { value += 1 }
  nonisolated func nothing() async {}
}

@MainActor private var countOfMain = 0

@MainActor private func countOnMain() { countOfMain += 1 }
